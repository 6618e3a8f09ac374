package command_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// provedBlock is an answer of the route of proofs.
type provedBlock struct {
	BlockNumber uint64   `json:"block_number"`
	BlockHash   evm.Hash `json:"block_hash"`
	Proof       struct {
		Header   string    `json:"header"`
		Receipts *[]string `json:"receipts"`
	} `json:"proof"`
}

// unhex returns the bytes of a hexadecimal text.
func unhex(t testing.TB, text string) string {
	t.Helper()
	data, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	expect.NoError(t, err)
	return string(data)
}

// verified returns the logs that a proof proves.
func (p *provedBlock) verified(t testing.TB) []evm.Log {
	t.Helper()
	var receipts []string
	if p.Proof.Receipts != nil {
		receipts = []string{}
		for _, receipt := range *p.Proof.Receipts {
			receipts = append(receipts, unhex(t, receipt))
		}
	}
	logs, err := chaintest.VerifyProof(p.BlockHash, unhex(t, p.Proof.Header), receipts)
	if err != nil {
		t.Fatalf("block %d: %v", p.BlockNumber, err)
	}
	return logs
}

// proofNode returns a node with the recorded chain.
func proofNode(t testing.TB) *chaintest.Node {
	t.Helper()
	recorded, _, _ := chaintest.ChainA(t)
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	expect.NoError(t, node.Play(recorded...))
	return node
}

// TestServe_Proofs proves every block of the recorded chain from a real node. The logs of each proof have
// exactly the records that the server returns, also of blocks whose header is not stored; and so have the outputs of
// check-proof and of the independent verifier.
func TestServe_Proofs(t *testing.T) {
	t.Parallel()
	anvil := "http://" + chaintest.Anvil(t, "--load-state", chainA(t, "state.json"))
	db := importChainA(t)
	s := start(t, "serve", "--db", db, "--proof-rpc", anvil)
	records, answers := 0, ""
	for number := range uint64(361) {
		if testing.Short() && number%10 > 0 {
			continue
		}
		var p provedBlock
		got := s.Send(t, http.MethodGet, fmt.Sprintf("/v1/block/%d/proof", number), "")
		if got.Status != http.StatusOK {
			t.Fatalf("block %d: status %d: %s", number, got.Status, got.Body)
		}
		apitest.Decode(t, got.Body, &p)
		answers += got.Body
		expect.Equal(t, "number", number, p.BlockNumber)
		decoded, err := new(nft.Decoder).Decode(evm.Header{BlockRef: evm.BlockRef{Number: p.BlockNumber, Hash: p.BlockHash}}, p.verified(t))
		expect.NoError(t, err)
		var want, listed []string
		for _, r := range slices.Concat(decoded.Mints, decoded.Burns) {
			want = append(want, fmt.Sprintln(r.Contract, r.TokenID, r.From, r.To, r.Amount, r.LogIndex, r.SubIndex, r.TxIndex.N))
		}
		data := s.Get(t, `query($b: BlockNumberOrHash) { mints(block: $b, first: 1000) { data { ...record } } burns(block: $b, first: 1000) { data { ...record } } }
			fragment record on Transfer { tokenAddress tokenId from to amount logIndex subIndex transactionIndex }`, fmt.Sprintf(`{"b":%d}`, number))
		for _, page := range data {
			for _, record := range page.(map[string]any)["data"].([]any) {
				r := record.(map[string]any)
				listed = append(listed, fmt.Sprintln(r["tokenAddress"], r["tokenId"], r["from"], r["to"], r["amount"], r["logIndex"], r["subIndex"], r["transactionIndex"]))
			}
		}
		slices.Sort(want)
		slices.Sort(listed)
		expect.Equal(t, fmt.Sprintf("records of block %d", number), want, listed)
		records += len(want)
	}
	if records == 0 {
		t.Error("no block has a record")
	}
	if testing.Short() {
		return
	}
	file := filepath.Join(t.TempDir(), "proofs.json")
	expect.NoError(t, os.WriteFile(file, []byte(answers), 0o600))
	proved, _ := mustRun(t, "check-proof", file)
	matchesExport(t, db, proved)
	verified, _ := verifiedInNode(t, 0, file)
	expect.Equal(t, "records of the independent verifier", proved, verified)
}

// TestServe_ProofsOneBatch counts the requests of a node: ten selections of a block in a document, of
// several clients at once too, are one batch of two calls, and later ones none.
func TestServe_ProofsOneBatch(t *testing.T) {
	t.Parallel()
	node := proofNode(t)
	s := start(t, "serve", "--db", importChainA(t), "--proof-rpc", node.URL, "--trusted-proxies", "127.0.0.1")
	selection := "proof { header receipts }"
	document := "{"
	for i := range 10 {
		document += fmt.Sprintf(" b%d: block(block: 82) { number %s }", i, selection)
	}
	document += " mints(block: 82, first: 3) { data { transaction { block { " + selection + " } } } } }"
	s.Get(t, "{ block(block: 81) { proof { header } } }", "")
	calls, requests := node.AllCalls()
	var all sync.WaitGroup
	asked, answers := make(chan struct{}, 1), make(chan struct{})
	node.Break(1, chaintest.Fault{Hang: answers}, func(c chaintest.Call) bool {
		select {
		case asked <- struct{}{}:
		default:
		}
		return true
	})
	slots := func() (n int) {
		_, line, _ := strings.Cut(s.Send(t, http.MethodGet, "/metrics", "").Body, `mintburn_limiter_operations_total{outcome="at_once"} `)
		_, err := fmt.Sscan(line, &n)
		expect.NoError(t, err)
		return n
	}
	for i := range 8 {
		if i == 1 {
			<-asked
		}
		before := slots()
		all.Go(func() {
			if got := s.Post(t, apitest.Request(document, ""), "X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i)); got.Status != http.StatusOK || strings.Contains(got.Body, "errors") {
				t.Errorf("status %d: %.300s", got.Status, got.Body)
			}
		})
		for i == 1 && slots() < before+3 {
			// The second client has no slot yet to read its request, to enter or to wait for the proof.
		}
	}
	close(answers)
	all.Wait()
	after, sent := node.AllCalls()
	expect.Equal(t, "calls and requests", [2]int{2, 1}, [2]int{after - calls, sent - requests})
	expect.Equal(t, "calls of a block by its hash", 2, node.Calls("eth_getBlockByHash"))
}

// TestServe_ProofsBlocks selects blocks in each way, with and without a node that proves them.
func TestServe_ProofsBlocks(t *testing.T) {
	t.Parallel()
	node := proofNode(t)
	db := importChainA(t)
	with, without := start(t, "serve", "--db", db, "--proof-rpc", node.URL), start(t, "serve", "--db", db)
	head := node.Blocks()[360].Header
	ask := func(s *server, block, selection string) *apitest.Answer {
		t.Helper()
		return s.Ask(t, "query($b: BlockNumberOrHash!) { block(block: $b) { "+selection+" } }", `{"b":`+block+`}`)
	}
	code := func(a *apitest.Answer) (code, message string, path []any) {
		if len(a.Errors) == 0 {
			return "", "", nil
		}
		return fmt.Sprint(a.Errors[0].Extensions["code"]), a.Errors[0].Message, a.Errors[0].Path
	}
	hash := `"` + head.Hash.String() + `"`
	for _, block := range []string{"360", `"latest"`, hash, `"0x168"`} {
		for _, s := range []*server{with, without} {
			expect.Equal(t, block, fmt.Sprint(map[string]any{"number": 360, "hash": head.Hash, "timestamp": head.Time}), fmt.Sprint(ask(s, block, "number hash timestamp").Data["block"]))
		}
	}
	for block, want := range map[string]string{"361": "BLOCK_NOT_INDEXED", `"0x` + strings.Repeat("ab", 32) + `"`: "BLOCK_NOT_FOUND", `"0x"`: "BAD_USER_INPUT"} {
		if got, message, _ := code(ask(with, block, "number proof { header }")); got != want {
			t.Errorf("%s: %s %s, want %s", block, got, message, want)
		}
	}
	got, message, path := code(ask(without, "360", "number proof { header }"))
	if got != "UNAVAILABLE" || message != "this server gives no proofs: --proof-rpc" || len(path) != 2 || ask(without, "360", "number proof { header }").Data["block"] == nil {
		t.Errorf("without a node: %s %s at %v", got, message, path)
	}
	if got := without.Send(t, http.MethodGet, "/v1/block/360/proof", ""); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, "--proof-rpc") {
		t.Errorf("REST without a node: status %d: %s", got.Status, got.Body)
	}
	// The node loses its receipts, then everything: the block stays as far as it is known.
	receipts := func(c chaintest.Call) bool { return strings.Contains(c.Method, "Receipt") }
	node.Break(0, chaintest.Null(), receipts)
	calls := node.Calls("eth_getBlockByHash")
	got, message, _ = code(ask(with, "83", "number proof { header } again: proof { header }"))
	expect.Equal(t, "calls for a block without receipts", 1, node.Calls("eth_getBlockByHash")-calls)
	if got != "UNAVAILABLE" || message != "no node of --proof-rpc returned the receipts of block 83: missing" {
		t.Errorf("without receipts: %s %s", got, message)
	}
	node.Break(0, chaintest.Fault{Status: 503}, nil)
	a := ask(with, "83", "number proof { header }")
	if got, message, _ = code(a); got != "UNAVAILABLE" || a.Data["block"] == nil {
		t.Errorf("without a node: %s %s, %v", got, message, a.Data)
	}
}

// TestServe_ProofsEmpty selects old blocks without records, whose headers are not stored: they come from the
// node of the proofs.
func TestServe_ProofsEmpty(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 5})
	node.Generate(contents(3, 2))
	node.MineEmpty(2000)
	node.Generate(contents(20, 2))
	db := filepath.Join(t.TempDir(), "sparse.db")
	mustRun(t, "sync", "--once", "--no-metadata", "--audit", "off", "--receipts-depth", "0", "--header-depth", "10", "--rpc", node.URL, "--db", db)
	with, without := start(t, "serve", "--db", db, "--proof-rpc", node.URL), start(t, "serve", "--db", db)
	want := node.Blocks()[700].Header
	got := with.Get(t, "{ block(block: 700) { number hash timestamp proof { header receipts } } }", "")["block"].(map[string]any)
	expect.Equal(t, "block", fmt.Sprintln(want.Number, want.Hash, want.Time), fmt.Sprintln(got["number"], got["hash"], got["timestamp"]))
	if _, err := chaintest.VerifyProof(want.Hash, unhex(t, got["proof"].(map[string]any)["header"].(string)), nil); err != nil || got["proof"].(map[string]any)["receipts"] != nil {
		t.Errorf("%v: %v", err, got)
	}
	calls := node.Calls("eth_getBlockReceipts")
	for _, ask := range []struct {
		of           *server
		fields, want string
	}{
		{with, "hash", "the header of a block without records is not stored: select proof, whose node returns it"},
		{without, "hash", "the header of a block without records is not stored: select proof, whose node returns it"},
		{without, "hash proof { header }", "this server gives no proofs: --proof-rpc"},
	} {
		a := ask.of.Ask(t, "{ block(block: 700) { "+ask.fields+" } }", "")
		if len(a.Errors) != 1 || a.Errors[0].Message != ask.want || a.Errors[0].Extensions["code"] != "UNAVAILABLE" {
			t.Errorf("%s: %s, want %s", ask.fields, a.Text, ask.want)
		}
	}
	expect.Equal(t, "calls without a proof", calls, node.Calls("eth_getBlockReceipts"))
}

// TestServe_ProofsUnprovable has chains whose blocks differ from Ethereum's: proofs are null, each with its
// error, and the records stay, also in one page.
func TestServe_ProofsUnprovable(t *testing.T) {
	t.Parallel()
	for name, reason := range map[string]string{"Polygon": "seal", "Ethermint": "the hash of the header is not that of its fields", "Tempo": "the header has fields that Ethereum headers lack"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := chaintest.NewNode(t, chaintest.NodeOptions{Shape: chaintest.Networks()[name]})
			node.Generate(contents(3, 2))
			db := filepath.Join(t.TempDir(), "other.db")
			mustRun(t, "sync", "--once", "--no-metadata", "--unprovable", "--rpc", node.URL, "--db", db)
			s := start(t, "serve", "--db", db, "--proof-rpc", node.URL)
			a := s.Ask(t, "{ mints(first: 100) { data { tokenId transaction { block { number proof { header } } } } } }", "")
			items, _ := apitest.At(a.Data, "mints", "data").([]any)
			if len(items) == 0 || len(a.Errors) != len(items) || strings.Count(a.Text, `"proof":null`) != len(items) {
				t.Fatalf("got %s", a.Text)
			}
			for _, e := range a.Errors {
				if e.Extensions["code"] != "NOT_PROVABLE" || !strings.Contains(e.Message, reason) {
					t.Errorf("got %v %s, want %s", e.Extensions, e.Message, reason)
				}
			}
			if got := s.Send(t, http.MethodGet, "/v1/block/latest/proof", ""); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `"code":"NOT_PROVABLE"`) || !strings.Contains(got.Body, reason) {
				t.Errorf("REST: status %d: %s", got.Status, got.Body)
			}
		})
	}
}

// TestServe_ProofsChains has two chains, of which one has a node for proofs, and the other another one's.
func TestServe_ProofsChains(t *testing.T) {
	t.Parallel()
	node := proofNode(t)
	other, _ := generated(t, 3, 2)
	other.SetChainID(5)
	db := filepath.Join(t.TempDir(), "other.db")
	mustRun(t, "sync", "--once", "--no-metadata", "--rpc", other.URL, "--db", db)
	s := start(t, "serve", "--chain", "a="+importChainA(t), "--chain", "b="+db, "--chain", "c="+importChainA(t), "--proof-rpc", "a="+node.URL, "--proof-rpc", "b="+node.URL)
	for chain, want := range map[string]string{"a": "", "b": "no node of --proof-rpc returned block 3: inconsistent", "c": "this server gives no proofs: --proof-rpc"} {
		body := s.Post(t, onChain("{ block(block: 3) { number proof { header } } }", chain)).Body
		if (want == "") != strings.Contains(body, `"proof":{"header":"0x`) || !strings.Contains(body, want) {
			t.Errorf("%s: %s, want %s", chain, body, want)
		}
	}
	if said := s.output.String(); !strings.Contains(said, "no node of --proof-rpc proves a block") || !strings.Contains(said, "wrong chain") {
		t.Errorf("it logged %s", said)
	}
}

// TestServe_ProofsLarge proves a block above 4 MiB, which is not cached, and one below.
func TestServe_ProofsLarge(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	for _, size := range []int{3 << 20, 5 << 20} {
		node.Mine([]evm.Log{{Topics: []evm.Hash{evm.TopicTransferSingle.Hash(), {}, {}, {31: 1}}, Data: make([]byte, size)}})
	}
	db := filepath.Join(t.TempDir(), "large.db")
	mustRun(t, "sync", "--once", "--no-metadata", "--rpc", node.URL, "--db", db)
	s := start(t, "serve", "--db", db, "--proof-rpc", node.URL)
	for number, want := range map[int]int{1: 1, 2: 2} {
		calls := node.Calls("eth_getBlockByHash")
		for range 2 {
			var p provedBlock
			apitest.Decode(t, s.Send(t, http.MethodGet, fmt.Sprintf("/v1/block/%d/proof", number), "").Body, &p)
			expect.Equal(t, "bytes", 2*number+1, len(p.verified(t)[0].Data)>>20)
		}
		expect.Equal(t, "calls", want, node.Calls("eth_getBlockByHash")-calls)
	}
	if got := start(t, "serve", "--db", db, "--proof-rpc", node.URL, "--max-answer", "4194304").Send(t, http.MethodGet, "/v1/block/1/proof", ""); !strings.Contains(got.Body, "proof: the answer is too long with block 1") {
		t.Errorf("an answer of at most 4 MiB: status %d: %.300s", got.Status, got.Body)
	}
}

// TestServe_ProofsHang has a node that never answers, for which 20 clients ask. All other requests answer
// meanwhile, as many at once as there are slots.
func TestServe_ProofsHang(t *testing.T) {
	t.Parallel()
	node := proofNode(t)
	held := make(chan struct{})
	s := start(t, "serve", "--db", importChainA(t), "--proof-rpc", node.URL, "--timeout", "1h", "--max-concurrency", "1", "--trusted-proxies", "127.0.0.1")
	s.Get(t, "{ block(block: 81) { proof { header } } }", "")
	waits := make(chan struct{}, 100)
	node.Break(0, chaintest.Fault{Hang: held}, func(c chaintest.Call) bool {
		if c.Method == "eth_getBlockByHash" {
			waits <- struct{}{}
		}
		return true
	})
	var clients sync.WaitGroup
	for i := range 20 {
		clients.Go(func() {
			s.Post(t, apitest.Request(fmt.Sprintf("{ block(block: %d) { proof { header } } }", 82+i), ""), "X-Forwarded-For", fmt.Sprintf("10.0.0.%d", i))
		})
	}
	<-waits
	<-waits
	var others sync.WaitGroup
	for i := range 20 {
		others.Go(func() {
			a := s.Ask(t, `{ mints(first: 1000, block: 82) { totalItems data { tokenId } } block(block: 360) { hash } chain { head { number } } }`, "")
			if len(a.Errors) > 0 {
				t.Errorf("request %d: %s", i, a.Text)
			}
		})
	}
	others.Wait()
	if more := len(waits); more > 0 {
		t.Errorf("%d more proofs than two at once", more)
	}
	close(held)
	node.ClearFaults()
	clients.Wait()
}

// TestDocs_ProofTopics compares the topics of mints and burns in docs/api.md#proofs with their events, and
// those with what the decoder makes records of.
func TestDocs_ProofTopics(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(documents(t)["docs/api.md"], "\n## Proofs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []evm.Hash
	for _, row := range regexp.MustCompile("(?m)^\\| `(0x[0-9a-f]{64})` \\| `([^`]+)`").FindAllStringSubmatch(section, -1) {
		topic, err := evm.ParseHash(row[1])
		expect.NoError(t, err)
		if listed = append(listed, topic); topic != evm.Hash(crypto.Keccak256Hash([]byte(row[2]))) {
			t.Errorf("%s is not the topic of %s", topic, row[2])
		}
	}
	expect.Equal(t, "topics", chaintest.ProofTopics(), listed)
	var decoded []evm.Hash
	for _, b := range proofNode(t).Blocks() {
		for i := range b.Logs {
			alone, err := (&nft.Decoder{Unindexed: map[evm.Address]bool{b.Logs[i].Address: true}}).Decode(b.Header, b.Logs[i:i+1])
			expect.NoError(t, err)
			if topic := b.Logs[i].Topics; len(alone.Mints)+len(alone.Burns) > 0 && !slices.Contains(decoded, topic[0]) {
				decoded = append(decoded, topic[0])
			}
		}
	}
	order := func(a, b evm.Hash) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(listed, order)
	slices.SortFunc(decoded, order)
	expect.Equal(t, "topics of records", listed, decoded)
}
