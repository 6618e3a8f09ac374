package indexer_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
)

// answer is a row of the shared data's answers.
type answer struct {
	Token    string  `json:"token_address"`
	Type     string  `json:"contract_type"`
	ID       string  `json:"token_id"`
	Hash     string  `json:"block_hash"`
	Block    uint64  `json:"block_number"`
	Tx       string  `json:"transaction_hash"`
	Log      uint32  `json:"log_index"`
	Sub      uint32  `json:"_batch"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Amount   string  `json:"amount"`
	Operator *string `json:"operator"`
	Time     uint64  `json:"block_time"`
	Reason   string  `json:"reason"`
}

func answers(t testing.TB, name string) []answer {
	t.Helper()
	return recorded[answer](t, name)
}

// recorded reads the JSON values of a file of the recorded chain.
func recorded[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	file, err := os.Open(chaintest.Data(t, "chain-a/"+name))
	expect.NoError(t, err)
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	for values := json.NewDecoder(text); ; {
		var value T
		switch err := values.Decode(&value); {
		case err == io.EOF && len(all) > 0:
			return all
		case err != nil:
			t.Fatalf("%s: value %d: %v", name, len(all)+1, err)
		}
		all = append(all, value)
	}
}

func answerOf(r row) answer {
	a := answer{
		Token: r.Contract.String(), Type: string(r.Type), ID: r.TokenID.String(), Hash: r.Block.Hash.String(), Block: r.Block.Number,
		Tx: r.TxHash.String(), Log: r.LogIndex, Sub: r.SubIndex, From: r.From.String(), To: r.To.String(), Amount: r.Amount.String(), Time: r.Time,
	}
	if r.Type == nft.ERC1155 {
		a.Operator = ptr(r.Operator.String())
	}
	return a
}

// key is the answer for the whole of the recorded chain.
type key struct {
	records  [2][]answer
	rejected []string
}

func readKey(t testing.TB) key {
	t.Helper()
	k := key{records: [2][]answer{answers(t, "all-mints.ndjson.gz"), answers(t, "all-burns.ndjson.gz")}}
	for _, a := range answers(t, "all-rejected.ndjson") {
		k.rejected = append(k.rejected, fmt.Sprintf("%d/%d %s", a.Block, a.Log, a.Reason))
	}
	return k
}

// checkKey compares the database with the recorded chain's answers up to block
// to. The fields of ignored are not compared: another node that mines the same
// transactions gives other values.
func (r *rig) checkKey(t testing.TB, want key, to uint64, ignored ...string) {
	t.Helper()
	got := r.stored(t, 0, to)
	expect.Equal(t, "coverage", []evm.Range{{To: to}}, got.Indexed)
	for kind, records := range want.records {
		var have []answer
		for _, record := range got.Records[kind] {
			have = append(have, answerOf(record))
		}
		expect.Equal(t, fmt.Sprintf("%ss", nft.Kind(kind)), records, have, cmpopts.IgnoreFields(answer{}, ignored...))
	}
	var have []string
	for _, text := range got.Rejected {
		place, rest, _ := strings.Cut(text, " ")
		have = append(have, place+" "+strings.SplitN(rest, " ", 5)[4])
	}
	expect.Equal(t, "rejected", want.rejected, have)
}

// TestStep_Anvil indexes the recorded chain from a real node.
func TestStep_Anvil(t *testing.T) {
	long(t)
	want := readKey(t)
	address := chaintest.Anvil(t, "--load-state", chaintest.Data(t, "chain-a/state.json"))
	for name, databaseOf := range databases() {
		t.Run(name, func(t *testing.T) {
			r := followURLs(t, databaseOf(t), jsonrpc.Options{}, "http://"+address)
			expect.NoError(t, r.Run(t.Context(), true, nil))
			r.checkKey(t, want, 360)
		})
	}
}
