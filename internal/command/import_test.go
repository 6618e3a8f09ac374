package command_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mintburn/internal/apitest"
	"mintburn/internal/chaintest"
	"mintburn/internal/demo"
	"mintburn/internal/expect"
)

func TestImport_WholeChain(t *testing.T) {
	db := importChainA(t)
	s := serve(t, db)
	for field, key := range map[string]string{"mints": "all-mints.ndjson.gz", "burns": "all-burns.ndjson.gz"} {
		t.Run(field, func(t *testing.T) {
			expect.Equal(t, "got", expected(t, chainA(t, key)), s.walk(t, field, "", 100))
		})
	}
	t.Run("rejected logs", func(t *testing.T) {
		var want []string
		for _, line := range lines(t, chainA(t, "all-rejected.ndjson")) {
			var r struct {
				BlockNumber int `json:"block_number"`
				LogIndex    int `json:"log_index"`
				Reason      string
			}
			apitest.Decode(t, line, &r)
			want = append(want, fmt.Sprintf("block=%d log=%d reason=%s", r.BlockNumber, r.LogIndex, r.Reason))
		}
		got := rows(t, open(t, db), "SELECT id >> 30 AS block, id & 0x3fffffff AS log, reason FROM rejected_logs ORDER BY id")
		expect.Equal(t, "got", want, got)
	})
}

func TestImport_Again(t *testing.T) {
	db := importChainA(t)
	before := dump(t, db)
	said := importInto(t, db, nil, chainA(t, "bundle.ndjson.gz"))
	if want := "Imported 0 blocks with 0 mints and 0 burns, 361 blocks were there already.\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	checkTables(t, before, dump(t, db))
	if len(before["mints"]) != 1080 || len(before["counters"]) == 0 {
		t.Errorf("the dump has %d mints and %d counters", len(before["mints"]), len(before["counters"]))
	}
}

func TestImport_Forms(t *testing.T) {
	packed, err := os.ReadFile(chainA(t, "bundle.ndjson.gz"))
	expect.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	expect.NoError(t, err)
	plain, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	encoder, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		expect.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	half := bytes.IndexByte(plain[len(plain)/2:], '\n') + len(plain)/2 + 1
	want := content(t, importChainA(t))
	for name, form := range map[string]struct {
		stdin io.Reader
		files []string
	}{
		"plain":                   {files: []string{write("plain", plain)}},
		"zst":                     {files: []string{write("bundle.zst", encoder.EncodeAll(plain, nil))}},
		"stdin":                   {bytes.NewReader(plain), []string{"-"}},
		"stdin, packed":           {bytes.NewReader(packed), []string{"-"}},
		"two files, second first": {files: []string{write("second", plain[half:]), write("first", plain[:half])}},
		"a file and stdin":        {bytes.NewReader(plain[half:]), []string{write("begin", plain[:half]), "-"}},
		"a file twice":            {files: []string{write("once", plain), write("twice", plain)}},
		"CRLF and blank lines":    {files: []string{write("crlf", bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n\r\n")))}},
		"no newline at the end":   {files: []string{write("cut", bytes.TrimRight(plain, "\n"))}},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "form.db")
			importInto(t, db, form.stdin, form.files...)
			checkTables(t, want, content(t, db))
		})
	}
}

// TestImport_RealBlocks imports real blocks in both forms, and at once.
func TestImport_RealBlocks(t *testing.T) {
	all := map[string][]record{}
	allLines := ""
	for _, sample := range []string{"mainnet-17173049-17173050", "mainnet-18000000", "mainnet-18500000"} {
		recording := realRecording(t, sample)
		allLines += recording
		want := map[string][]record{
			"mints": expected(t, chaintest.Data(t, "real/"+sample+"/expected-mints.ndjson")),
			"burns": expected(t, chaintest.Data(t, "real/"+sample+"/expected-burns.ndjson")),
		}
		for field := range want {
			all[field] = append(all[field], want[field]...)
		}
		t.Run(sample, func(t *testing.T) { checkRecording(t, recording, want) })
	}
	if len(all["mints"]) < 20 {
		t.Errorf("the samples expect %d mints", len(all["mints"]))
	}
	t.Run("together", func(t *testing.T) { checkRecording(t, allLines, all) })
}

func checkRecording(t *testing.T, recording string, want map[string][]record) {
	db := filepath.Join(t.TempDir(), "real.db")
	importInto(t, db, strings.NewReader(recording), "-")
	s := serve(t, db)
	for field := range want {
		if diff := cmp.Diff(want[field], s.walk(t, field, "partial: true", 7)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
}

// realRecording makes an import file of a sample that has block headers.
func realRecording(t *testing.T, sample string) string {
	read := func(name string) (list []map[string]any) {
		path := filepath.Join(chaintest.Data(t, "real/"+sample), name)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return nil
		}
		apitest.Decode(t, strings.Join(lines(t, path), "\n"), &list)
		return list
	}
	var text strings.Builder
	blocks, receipts, logs := read("blocks.json.gz"), read("receipts.json.gz"), read("logs.json.gz")
	if len(blocks) == 0 || receipts == nil && logs == nil {
		t.Fatalf("%s has %d blocks, %d receipts, %d logs", sample, len(blocks), len(receipts), len(logs))
	}
	for _, block := range blocks {
		kind, items := "receipts", receipts
		if receipts == nil {
			kind, items = "logs", logs
		}
		own := []any{}
		for _, item := range items {
			if item["blockHash"] == block["hash"] {
				own = append(own, item)
			}
		}
		line, err := json.Marshal(map[string]any{"block": block, kind: own})
		expect.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// TestImport_LargeDocuments imports token documents whose bytes fill a batch long
// before their number does. It runs a process, because an import that hangs must
// not hold up the tests.
func TestImport_LargeDocuments(t *testing.T) {
	for name, c := range map[string]struct{ documents, bytes int }{
		"a few of 4 MB":     {6, 4_000_000},
		"hundreds of 50 kB": {400, 50_000},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var text strings.Builder
			for i := range c.documents {
				fmt.Fprintf(&text, `{"metadata":{"address":"0x00000000000000000000000000000000000000cc","tokenId":"%d","uri":"ipfs://%d","fetchedAt":1700000000,"document":"{\"name\":\"%d\",\"padding\":\"%s\"}"}}`+"\n",
					i, i, i, strings.Repeat("x", c.bytes))
			}
			db := filepath.Join(t.TempDir(), "documents.db")
			process := exec.CommandContext(ctx, "mintburn", "import", "--db", db, "-")
			process.Stdin = strings.NewReader(text.String())
			said, err := process.CombinedOutput()
			if want := fmt.Sprintf("%d token documents.\n", c.documents); err != nil || !strings.HasSuffix(string(said), want) {
				t.Fatalf("%v: %q, want a line that ends in %q", err, said, want)
			}
		})
	}
}

// demoBlocks returns the lines of the demo's recording that hold blocks.
func demoBlocks(t *testing.T) (list []string) {
	t.Helper()
	unpacked, err := gzip.NewReader(demo.Open())
	expect.NoError(t, err)
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if strings.HasPrefix(scanner.Text(), `{"block":`) {
			list = append(list, scanner.Text())
		}
	}
	if err := scanner.Err(); err != nil || len(list) != 361 {
		t.Fatalf("%d blocks, error %v", len(list), err)
	}
	return list
}

// chainState is what the API says of a database.
type chainState struct {
	ChainID   *json.Number
	Finalized *struct{ Number json.Number }
	Verified  []string
}

func (s *server) chainState(t *testing.T) (c chainState) {
	t.Helper()
	var got struct {
		Chain struct {
			ChainID        *json.Number
			Finalized      *struct{ Number json.Number }
			VerifiedRanges []struct{ FromBlock, ToBlock json.Number }
		}
	}
	text, err := json.Marshal(s.Get(t, "{ chain { chainId finalized { number } verifiedRanges { fromBlock toBlock } } }", ""))
	expect.NoError(t, err)
	apitest.Decode(t, string(text), &got)
	c.ChainID, c.Finalized = got.Chain.ChainID, got.Chain.Finalized
	for _, r := range got.Chain.VerifiedRanges {
		c.Verified = append(c.Verified, r.FromBlock.String()+" to "+r.ToBlock.String())
	}
	return c
}

// whole is the state of the demo's chain.
var whole = chainState{ref(number("31337")), &struct{ Number json.Number }{number("360")}, []string{"0 to 360"}}

// TestImport_Proven imports a recording that proves itself, with what it can't say.
func TestImport_Proven(t *testing.T) {
	db := filepath.Join(t.TempDir(), "proven.db")
	text := strings.Join(demoBlocks(t), "\n")
	said := importInto(t, db, strings.NewReader(text), "--chain-id", "31337", "--final", "-")
	if want := "Imported 361 blocks with 1080 mints and 235 burns, 10 malformed logs rejected, 361 blocks verified.\n"; said != want {
		t.Errorf("it said %q, want %q", said, want)
	}
	for name, s := range map[string]*server{"import": serve(t, db), "demo": start(t, "demo")} {
		if diff := cmp.Diff(whole, s.chainState(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		got := s.Send(t, http.MethodGet, "/v1/block/36/nft/mints", "")
		if control := got.Header.Get("Cache-Control"); !strings.Contains(control, "immutable") {
			t.Errorf("%s: a block has Cache-Control %q, want immutable", name, control)
		}
	}
	// An earlier block leaves the final one as it is.
	importInto(t, db, strings.NewReader(demoBlocks(t)[3]), "--final", "-")
	expect.Equal(t, "after an earlier block", whole, serve(t, db).chainState(t))
	for _, c := range []struct {
		args  []string
		stdin string
		want  string
	}{
		{[]string{"--chain-id", "1"}, "", "mintburn: --chain-id: the database holds chain 31337, not chain 1: use another database\n"},
		{[]string{"--final"}, "", "mintburn: --final: the files hold no block\n"},
	} {
		_, stderr, code := run(t, strings.NewReader(c.stdin), append([]string{"import", "--db", db, "-"}, c.args...)...)
		if code != 1 || stderr != c.want {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// TestImport_Disproved changes an amount in a recording: the line is bad, and what
// stands before it is stored.
func TestImport_Disproved(t *testing.T) {
	db := filepath.Join(t.TempDir(), "disproved.db")
	list := demoBlocks(t)
	i := strings.LastIndex(list[36], `"data":"0x0`)
	list[36] = list[36][:i] + `"data":"0x1` + list[36][i+len(`"data":"0x0`):]
	_, stderr, code := run(t, strings.NewReader(strings.Join(list, "\n")), "import", "--db", db, "-")
	if code != 1 || !strings.HasPrefix(stderr, "mintburn: stdin:37: the root of the receipts is 0x") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	expect.Equal(t, "got", chainState{Verified: []string{"0 to 35"}}, serve(t, db).chainState(t))
}

// TestImport_ProvenLater imports a block without its logs, and then the recording
// that proves it: the stored block stays as it is, and so does not count as verified.
func TestImport_ProvenLater(t *testing.T) {
	db := filepath.Join(t.TempDir(), "later.db")
	list := demoBlocks(t)
	empty := list[36][:strings.Index(list[36], `,"receipts":`)] + `,"logs":[]}`
	importInto(t, db, strings.NewReader(empty), "-")
	importInto(t, db, strings.NewReader(strings.Join(list, "\n")), "-")
	expect.Equal(t, "got", chainState{Verified: []string{"0 to 35", "37 to 360"}}, serve(t, db).chainState(t))
}
