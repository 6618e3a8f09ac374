package command_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/demo"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

func TestImport_WholeChain(t *testing.T) {
	t.Parallel()
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

// demoBlocks returns the lines of the demo's recording that contain blocks.
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
	if err := scanner.Err(); err != nil || len(list) != 825 {
		t.Fatalf("%d blocks, error %v", len(list), err)
	}
	return list
}

// chainState is the state of a database as the API reports it.
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

// whole is the state of a database with the demo's chain.
var whole = chainState{new(number("31337")), &struct{ Number json.Number }{number("824")}, []string{"0 to 824"}}

// TestImport_Proven imports a recording that proves itself, with flags for the data that it
// does not contain.
func TestImport_Proven(t *testing.T) {
	t.Parallel()
	skipShort(t, "imports proven blocks several times")
	db := filepath.Join(t.TempDir(), "proven.db")
	text := strings.Join(demoBlocks(t), "\n")
	said := importInto(t, db, strings.NewReader(text), "--chain-id", "31337", "--final", "-")
	if want := "Imported 825 blocks with 1218 mints and 270 burns, 4 malformed logs rejected, 825 blocks verified.\n"; said != want {
		t.Errorf("it said %q, want %q", said, want)
	}
	for name, s := range map[string]*server{"import": serve(t, db), "demo": start(t, "demo")} {
		if diff := cmp.Diff(whole, s.chainState(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		got := s.Send(t, http.MethodGet, "/v1/block/82/nft/mints", "")
		if control := got.Header.Get("Cache-Control"); !strings.Contains(control, "immutable") {
			t.Errorf("%s: a block has Cache-Control %q, want immutable", name, control)
		}
	}
	// An earlier block does not replace the finalized one.
	importInto(t, db, strings.NewReader(demoBlocks(t)[3]), "--final", "-")
	expect.Equal(t, "after an earlier block", whole, serve(t, db).chainState(t))
	for _, c := range []struct {
		args  []string
		stdin string
		want  string
	}{
		{[]string{"--chain-id", "1"}, "", "mintburn: --chain-id: the database holds chain 31337, not chain 1: use another database\n"},
		{[]string{"--final"}, "", "mintburn: --final: the files contain no block\n"},
	} {
		_, stderr, code := run(t, strings.NewReader(c.stdin), append([]string{"import", "--db", db, "-"}, c.args...)...)
		if code != 1 || stderr != c.want {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, code, stderr, c.want)
		}
	}
}

// TestImport_Disproved changes an amount in a recording, and checks that the line is an
// error and that the lines before it are stored.
func TestImport_Disproved(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "disproved.db")
	list := demoBlocks(t)
	i := strings.LastIndex(list[37], `"data":"0x0`)
	list[37] = list[37][:i] + `"data":"0x1` + list[37][i+len(`"data":"0x0`):]
	_, stderr, code := run(t, strings.NewReader(strings.Join(list, "\n")), "import", "--db", db, "-")
	if code != 1 || !strings.HasPrefix(stderr, "mintburn: stdin:38: the root of the receipts is 0x") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	expect.Equal(t, "got", chainState{Verified: []string{"0 to 36"}}, serve(t, db).chainState(t))
}

// TestImport_ProvenLater imports a block without its logs, and then the recording that
// proves it. The stored block stays unchanged, and therefore unverified.
func TestImport_ProvenLater(t *testing.T) {
	t.Parallel()
	skipShort(t, "imports proven blocks several times")
	db := filepath.Join(t.TempDir(), "later.db")
	list := demoBlocks(t)
	empty := list[37][:strings.Index(list[37], `,"receipts":`)] + `,"logs":[]}`
	importInto(t, db, strings.NewReader(empty), "-")
	importInto(t, db, strings.NewReader(strings.Join(list, "\n")), "-")
	expect.Equal(t, "got", chainState{Verified: []string{"0 to 36", "38 to 824"}}, serve(t, db).chainState(t))
}
