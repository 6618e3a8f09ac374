package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// answer is that of /v1/block/BLOCK/proof.
type answer struct {
	Number uint64    `json:"block_number"`
	Hash   evm.Hash  `json:"block_hash"`
	Proof  *evidence `json:"proof"`
}

type evidence struct {
	Header   hexutil.Bytes   `json:"header"`
	Receipts []hexutil.Bytes `json:"receipts"`
}

// proofOf returns the proof of a block, as go-ethereum encodes it.
func proofOf(t testing.TB, header *types.Header, receipts types.Receipts) answer {
	t.Helper()
	text, err := rlp.EncodeToBytes(header)
	expect.NoError(t, err)
	a := answer{header.Number.Uint64(), evm.Hash(header.Hash()), &evidence{text, make([]hexutil.Bytes, len(receipts))}}
	for i, receipt := range receipts {
		a.Proof.Receipts[i], err = receipt.MarshalBinary()
		expect.NoError(t, err)
	}
	return a
}

// text returns the answer as JSON.
func (a answer) text(t testing.TB) []byte {
	t.Helper()
	text, err := json.Marshal(a)
	expect.NoError(t, err)
	return text
}

// proofFile writes answers to a file.
func proofFile(t testing.TB, answers ...answer) string {
	t.Helper()
	var text []byte
	for _, a := range answers {
		text = append(append(text, a.text(t)...), '\n')
	}
	path := filepath.Join(t.TempDir(), "proofs.ndjson")
	expect.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// unproved matches what an export has beside what a proof covers.
var unproved = regexp.MustCompile(`"transaction_hash":"0x[0-9a-f]{64}",|,"id":"[^"]*"`)

// matchesExport compares records that proofs gave with those of a database.
func matchesExport(t *testing.T, db, records string) {
	t.Helper()
	var found [2]string
	for line := range strings.Lines(records) {
		kind := 1
		if strings.Contains(line, `"from":"0x`+strings.Repeat("0", 40)+`"`) {
			kind = 0
		}
		found[kind] += line
	}
	for i, set := range []string{"mints", "burns"} {
		exported, _ := mustRun(t, "export", set, "--partial", "--db", db)
		expect.Equal(t, set, unproved.ReplaceAllString(exported, ""), found[i])
	}
}

// verifiedInNode returns what examples/verify-proof prints. Its exit code must be this.
func verifiedInNode(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	process := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(verifier(t), "main.js")}, args...)...)
	process.Stdout, process.Stderr = &out, &errs
	_ = process.Run()
	if got := process.ProcessState.ExitCode(); got != code {
		t.Fatalf("verify-proof ended with %d, want %d: %s", got, code, errs.String())
	}
	return out.String(), errs.String()
}

// verifier returns the folder of examples/verify-proof, in which npm has installed its packages.
func verifier(t *testing.T) string {
	t.Helper()
	skipShort(t, "runs Node")
	folder, err := filepath.Abs(filepath.Join(root, "examples", "verify-proof"))
	expect.NoError(t, err)
	neededFile(t, "npm packages are not installed: make clients", filepath.Join(folder, "node_modules", "@ethereumjs", "mpt"))
	return folder
}

// recordedProofs returns those of all blocks of the recorded chain, first with all receipts, then
// without those that a header excludes.
func recordedProofs(t testing.TB) (whole, short []answer) {
	t.Helper()
	_, blocks, receipts := chaintest.ChainA(t)
	records, excluded := wire.Records(), 0
	for i, block := range blocks {
		a := proofOf(t, block.Header(), receipts[i])
		whole = append(whole, a)
		if bloom := block.Bloom(); records.Excludes(block.ReceiptHash(), &bloom) {
			a.Proof, excluded = &evidence{Header: a.Proof.Header}, excluded+1
		}
		short = append(short, a)
	}
	if excluded < 20 {
		t.Errorf("%d headers exclude mints and burns", excluded)
	}
	return whole, short
}

// TestCheckProof proves every block of the recorded chain, with and without the receipts that the
// header excludes. The command and examples/verify-proof print what a database of it has.
func TestCheckProof(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	whole, short := recordedProofs(t)
	records, _ := mustRun(t, "check-proof", proofFile(t, whole...))
	matchesExport(t, db, records)
	file := proofFile(t, short...)
	again, _ := mustRun(t, "check-proof", file)
	expect.Equal(t, "records of proofs without excluded receipts", records, again)
	verified, _ := verifiedInNode(t, 0, file)
	expect.Equal(t, "records of examples/verify-proof", records, verified)
}

// TestCheckProof_Mainnet proves the recorded blocks of Ethereum that have receipts.
func TestCheckProof_Mainnet(t *testing.T) {
	t.Parallel()
	var lines []byte
	var answers []answer
	for _, b := range chaintest.RealBlocks(t) {
		if b.Receipts == nil {
			continue
		}
		block, receipts, err := b.Ethereum(nil)
		expect.NoError(t, err)
		answers = append(answers, proofOf(t, block.Header(), receipts))
		lines = append(append(lines, b.Line()...), '\n')
	}
	slices.Reverse(answers) // They are stored by number.
	expect.Equal(t, "blocks", 2, len(answers))
	db := filepath.Join(t.TempDir(), "real.db")
	importInto(t, db, bytes.NewReader(lines), "-")
	file := proofFile(t, answers...)
	records, _ := mustRun(t, "check-proof", file)
	matchesExport(t, db, records)
	verified, _ := verifiedInNode(t, 0, file)
	expect.Equal(t, "records of examples/verify-proof", records, verified)
}

// TestCheckProof_Options decodes with the options of a database. Rejected ranges are those of its cap.
func TestCheckProof_Options(t *testing.T) {
	t.Parallel()
	// A contract of the recorded chain whose Transfer events have no indexed arguments.
	const kitty = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad"
	whole, _ := recordedProofs(t)
	db := filepath.Join(t.TempDir(), "options.db")
	options := []string{"--burn-address", deadAddress, "--unindexed", kitty, "--range-cap", "100"}
	mustRun(t, append([]string{"import", "--db", db, chainA(t, "bundle.ndjson.gz")}, options...)...)
	records, _ := mustRun(t, append([]string{"check-proof", proofFile(t, whole...)}, options...)...)
	matchesExport(t, db, records)
	of := func(contract string) (lines string) {
		for line := range strings.Lines(records) {
			if strings.Contains(line, `"token_address":"`+contract+`"`) {
				lines += line
			}
		}
		return lines
	}
	some, _ := mustRun(t, append([]string{"check-proof", proofFile(t, whole...), "--contract", kitty}, options...)...)
	expect.Equal(t, "records of one contract", of(kitty), some)
	if some == "" {
		t.Error("none of the records is of the contract")
	}
	verified := verifiedWith(t, map[string]any{"burnAddresses": []string{deadAddress}, "unindexed": []string{kitty}, "rangeCap": 100}, whole...)
	expect.Equal(t, "records of examples/verify-proof", records, verified)
}

// TestCheckProof_Ranges has a block whose ranges have more ids than a hundred times the cap.
func TestCheckProof_Ranges(t *testing.T) {
	t.Parallel()
	event, word := evm.TopicConsecutiveTransfer.Hash(), func(n byte) []byte { return append(make([]byte, 31), n) }
	var logs []any
	for i := range 103 {
		// The last one is a single id, which no cap of the block concerns.
		logs = append(logs, []any{make([]byte, 20), [][]byte{event[:], word(byte(i)), word(0), word(1)}, word(byte(min(i+1, 102)))})
	}
	text, err := rlp.EncodeToBytes([]any{[]byte{1}, uint64(21_000), make([]byte, types.BloomByteLength), logs})
	expect.NoError(t, err)
	a := crafted(t, []hexutil.Bytes{text}, func(*types.Header) {})
	records, _ := mustRun(t, "check-proof", "--range-cap", "2", proofFile(t, a))
	expect.Equal(t, "mints", 201, strings.Count(records, "\n"))
	none, _ := mustRun(t, "check-proof", "--range-cap", "1", proofFile(t, a))
	expect.Equal(t, "mints below the cap", 1, strings.Count(none, "\n"))
	expect.Equal(t, "records of examples/verify-proof", records, verifiedWith(t, map[string]any{"rangeCap": 2}, a))
	expect.Equal(t, "records of examples/verify-proof", none, verifiedWith(t, map[string]any{"rangeCap": 1}, a))
}

// verifiedWith returns the records that examples/verify-proof finds with options.
func verifiedWith(t *testing.T, options map[string]any, answers ...answer) (records string) {
	t.Helper()
	var text []byte
	for _, a := range answers {
		options["answer"] = a
		line, err := json.Marshal(options)
		expect.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	for line := range strings.Lines(scripted(t, text)) {
		var list []json.RawMessage
		chaintest.Parse(t, []byte(line), &list)
		for _, record := range list {
			records += string(record) + "\n"
		}
	}
	return records
}

// TestCheckProof_Files reads answers in all forms of JSON, and fails for others.
func TestCheckProof_Files(t *testing.T) {
	t.Parallel()
	good, other := small(t)
	records, warned := mustRun(t, "check-proof", proofFile(t, good))
	if !strings.Contains(warned, "level=WARN") || !strings.HasSuffix(warned, "proved 1 block.\n") {
		t.Errorf("standard error: %s", warned)
	}
	again, said := mustRun(t, "check-proof", "--block-hash", good.Hash.String(), proofFile(t, good))
	expect.Equal(t, "records of a trusted block", records, again)
	if strings.Contains(said, "level=WARN") {
		t.Errorf("a warning with --block-hash: %s", said)
	}
	both, _ := mustRun(t, "check-proof", proofFile(t, good, other))
	rest, _ := mustRun(t, "check-proof", proofFile(t, other))
	expect.Equal(t, "records of two answers", records+rest, both)
	pretty, err := json.MarshalIndent(good, "", "  ")
	expect.NoError(t, err)
	text, next := string(good.text(t)), string(other.text(t))
	for name, c := range map[string]struct {
		text string
		code int
		want string
	}{
		"on many lines":       {string(pretty) + "\n\n" + next, 0, both},
		"without lines":       {text + next, 0, both},
		"other members":       {strings.Replace(text, "{", `{"a": {"b": ["}"]}, `, 1), 0, records},
		"empty":               {"", 1, "answer 1: EOF"},
		"white space":         {" \n", 1, "answer 1: EOF"},
		"ends early":          {text + next[:1000], 1, "answer 2: unexpected EOF"},
		"no JSON":             {text + "\n%", 1, "answer 2: invalid character"},
		"no object":           {"[" + text + "]", 1, "answer 1: "},
		"another answer":      {`{"errors": [{"message": "none"}]}`, 1, "answer 1: proof: "},
		"an odd digit":        {strings.Replace(text, `"header":"0x`, `"header":"0x1`, 1), 1, "answer 1: "},
		"a number":            {strings.Replace(text, `"receipts":[`, `"receipts":[1,`, 1), 1, "answer 1: "},
		"a negative number":   {strings.Replace(text, `"block_number":`, `"block_number":-`, 1), 1, "answer 1: "},
		"too many receipts":   {strings.Replace(text, `"receipts":[`, `"receipts":[`+strings.Repeat(`"0x",`, 1<<20), 1), 1, "want at most 65536 and 1048576"},
		"too large an answer": {strings.Replace(text, `"receipts":[`, `"receipts":["0x`+strings.Repeat("0", 96<<20), 1), 1, "got more than 100663296 bytes"},
		"too large a header":  {strings.Replace(text, `"header":"0x`, `"header":"0x`+strings.Repeat("00", 64<<10), 1), 1, "want at most 65536 and 1048576"},
	} {
		stdout, stderr, code := run(t, strings.NewReader(c.text), "check-proof", "-")
		if said := stdout; code != c.code || (code == 0 && said != c.want) || (code > 0 && !strings.Contains(stderr, "mintburn: -: "+c.want) && !strings.Contains(stderr, c.want)) {
			t.Errorf("%s: exit code %d, output %q, error %s; want %d, %q", name, code, said, stderr, c.code, c.want)
		}
	}
	fails(t, 1, "no such file", "check-proof", filepath.Join(t.TempDir(), "none"))
	fails(t, 2, "--block-hash", "check-proof", "--block-hash", "0x12", "-")
	fails(t, 2, "missing", "check-proof")
}

// withoutBloom replaces the bloom filter of a header by an empty string (EIP-7668).
func withoutBloom(t testing.TB, a answer) answer {
	t.Helper()
	var fields []rlp.RawValue
	expect.NoError(t, rlp.DecodeBytes(a.Proof.Header, &fields))
	fields[6] = rlp.EmptyString
	text, err := rlp.EncodeToBytes(fields)
	expect.NoError(t, err)
	a.Hash, a.Proof = evm.Hash(crypto.Keccak256Hash(text)), &evidence{text, a.Proof.Receipts}
	return a
}

// TestCheckProof_Kinds proves receipts of all forms: with a state root, of OP stacks, of Celo, of a
// type that nobody knows, and without bloom filters.
func TestCheckProof_Kinds(t *testing.T) {
	t.Parallel()
	zero, one := make([]byte, 32), append(make([]byte, 31), 1)
	transfer := evm.TopicTransfer.Hash()
	mint := []any{make([]byte, 20), [][]byte{transfer[:], zero, one, one}, []byte{}}
	receipt := func(prefix string, outcome, bloom []byte, tail ...any) hexutil.Bytes {
		text, err := rlp.EncodeToBytes(append([]any{outcome, uint64(21_000), bloom, []any{mint, mint}}, tail...))
		expect.NoError(t, err)
		return append([]byte(prefix), text...)
	}
	bloom := make([]byte, types.BloomByteLength)
	large := new(big.Int).Lsh(big.NewInt(3), 64)
	all := []hexutil.Bytes{
		receipt("", zero, bloom), receipt("", []byte{1}, bloom), receipt("\x04", []byte{1}, bloom), receipt("\x7e", []byte{1}, bloom),
		receipt("\x7e", []byte{1}, bloom, uint64(7), uint64(1)), receipt("\x7b", []byte{1}, bloom, large), receipt("\x55", nil, bloom), receipt("\x02", nil, nil),
	}
	answers := []answer{crafted(t, all, func(*types.Header) {}), withoutBloom(t, crafted(t, all[7:], func(*types.Header) {}))}
	records, _ := mustRun(t, "check-proof", proofFile(t, answers...))
	expect.Equal(t, "mints", 2*len(all)+2, strings.Count(records, "\n"))
	for i := range 2 * len(all) {
		if line := fmt.Sprintf(`"log_index":%d,`, i); !strings.Contains(records, line) {
			t.Errorf("no record has %s", line)
		}
	}
	verified, _ := verifiedInNode(t, 0, proofFile(t, answers...))
	expect.Equal(t, "records of examples/verify-proof", records, verified)
}

// scripted runs verify of examples/verify-proof on answers with options, and returns a line for
// each: the records as JSON, or the error.
func scripted(t *testing.T, lines []byte) string {
	t.Helper()
	input := filepath.Join(t.TempDir(), "input.ndjson")
	expect.NoError(t, os.WriteFile(input, lines, 0o600))
	script := filepath.Join(t.TempDir(), "script.mjs")
	expect.NoError(t, os.WriteFile(script, []byte(`
		import { readFileSync } from 'node:fs';
		const [{ verify }, text] = [await import(process.argv[2]), readFileSync(process.argv[3], 'utf8')];
		for (const line of text.trim().split('\n')) {
			const { answer, blockHash, ...options } = JSON.parse(line);
			const said = await verify(answer, { ...options, blockHash: blockHash ?? undefined }).then(JSON.stringify, (error) => error.message);
			console.log(said.replaceAll('\n', ' '));
		}`), 0o600))
	out, err := exec.CommandContext(t.Context(), "node", script, filepath.Join(verifier(t), "verify.js"), input).Output()
	expect.NoError(t, err)
	return string(out)
}

// TestExamples_VerifyProof builds the page of examples/verify-proof, and chooses a file in Chromium.
func TestExamples_VerifyProof(t *testing.T) {
	t.Parallel()
	neededBrowser(t)
	good, other := small(t)
	records, _ := mustRun(t, "check-proof", proofFile(t, good))
	expected := filepath.Join(t.TempDir(), "records.ndjson")
	expect.NoError(t, os.WriteFile(expected, []byte(records), 0o600))
	built := t.TempDir()
	site := httptest.NewServer(http.FileServer(http.Dir(built)))
	defer site.Close()
	npm(t, verifier(t), nil, "build", "--", "--outDir", built, "--emptyOutDir")
	npm(t, filepath.Join(root, "web"), []string{"EXAMPLE_URL=" + site.URL, "PROOFS=" + proofFile(t, good), "RECORDS=" + expected, "BLOCK_HASH=" + other.Hash.String()}, "test:proof")
}
