package command_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// archiveFiles writes chain-a as archives: two era1 files, and one ere file. It returns their
// paths, and the chain as NDJSON.
func archiveFiles(t *testing.T) (era1 [2]string, ere, ndjson string) {
	t.Helper()
	recorded, blocks, receipts := chaintest.ChainA(t)
	var lines strings.Builder
	for _, r := range recorded {
		lines.Write(append(r.Line(), '\n'))
	}
	folder := t.TempDir()
	write := func(name string, a *chaintest.Archive) string {
		path := filepath.Join(folder, name)
		expect.NoError(t, os.WriteFile(path, a.Bytes(), 0o600))
		return path
	}
	const half = 200
	era1[0] = write("mainnet-00000-aaaaaaaa.era1", chaintest.Era1(blocks[:half], receipts[:half]))
	era1[1] = write("mainnet-00001-bbbbbbbb.era1", chaintest.Era1(blocks[half:], receipts[half:]))
	return era1, write("mainnet-00000-cccccccc-noproofs.ere", chaintest.Ere(blocks, receipts)), lines.String()
}

// TestImport_Archives imports the same chain as NDJSON and as archives, some of them twice. The
// exports are equal.
func TestImport_Archives(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads archives")
	era1, ere, ndjson := archiveFiles(t)
	const counts = "361 blocks with 1080 mints and 235 burns, 10 malformed logs rejected, 361 blocks verified"
	exports := func(db string) (all []string) {
		for _, what := range []string{"mints", "burns", "blocks", "rejected"} {
			out, stderr, code := run(t, nil, "export", what, "--db", db)
			if code != 0 {
				t.Fatalf("export %s: exit code %d: %s", what, code, stderr)
			}
			all = append(all, out)
		}
		return all
	}
	folder := t.TempDir()
	want := filepath.Join(folder, "ndjson.db")
	expect.Equal(t, "NDJSON", "Imported "+counts+".\n", importInto(t, want, strings.NewReader(ndjson), "-"))
	for name, c := range map[string]struct {
		files []string
		said  string
	}{
		"era1":            {era1[:], "Imported " + counts + ".\n"},
		"era1, backwards": {[]string{era1[1], era1[0]}, "Imported " + counts + ".\n"},
		"ere":             {[]string{ere}, "Imported " + counts + ".\n"},
		"both":            {[]string{era1[0], ere, era1[1]}, "Imported " + counts + ", 361 blocks already stored.\n"},
	} {
		db := filepath.Join(folder, name+".db")
		expect.Equal(t, name, c.said, importInto(t, db, nil, append(c.files, "--chain-id", "1", "--final")...))
		if got := exports(db); !slices.Equal(got, exports(want)) {
			t.Errorf("%s: the exports differ from those of NDJSON", name)
		}
		expect.Equal(t, name, []string{"0 to 360"}, serve(t, db).chainState(t).Verified)
	}
	again := importInto(t, filepath.Join(folder, "ere.db"), nil, ere)
	expect.Equal(t, "again", "Imported 0 blocks with 0 mints and 0 burns, 361 blocks already stored.\n", again)
}

// TestImport_OddArchive imports an archive whose index says another number of blocks.
func TestImport_OddArchive(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads archives")
	era1, _, _ := archiveFiles(t)
	data, err := os.ReadFile(era1[0])
	expect.NoError(t, err)
	data[len(data)-8]++
	expect.NoError(t, os.WriteFile(era1[0], data, 0o600))
	db := filepath.Join(t.TempDir(), "odd.db")
	_, stderr := mustRun(t, "import", "--db", db, era1[0])
	if strings.Count(stderr, "level=WARN") != 1 || !strings.Contains(stderr, `msg="odd archive" file=`+era1[0]+" reason=\"the archive has ") {
		t.Errorf("log %s", stderr)
	}
}

// TestImport_ArchivesRejected imports archives that do not belong into the database, or cannot
// be read.
func TestImport_ArchivesRejected(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads archives")
	era1, ere, ndjson := archiveFiles(t)
	other := filepath.Join(t.TempDir(), "forked.era1")
	_, blocks, receipts := chaintest.ChainA(t)
	fork := blocks[199].Header()
	fork.Extra = []byte("fork")
	blocks[199] = blocks[199].WithSeal(fork)
	expect.NoError(t, os.WriteFile(other, chaintest.Era1(blocks[190:200], receipts[190:200]).Bytes(), 0o600))
	whole, err := os.ReadFile(era1[0])
	expect.NoError(t, err)
	custom := filepath.Join(t.TempDir(), "custom-00000-aaaaaaaa.era1")
	expect.NoError(t, os.WriteFile(custom, whole, 0o600))
	first := strings.Join(strings.SplitAfter(ndjson, "\n")[:191], "")

	for name, c := range map[string]struct {
		// before are the arguments of an import before, whose standard input is NDJSON.
		before []string
		stdin  string
		args   []string
		want   string
	}{
		"another network":              {[]string{"-", "--chain-id", "31337"}, "", []string{era1[1]}, era1[1] + ": got an archive of chain 1, want one of chain 31337"},
		"another network by flag":      {nil, "", []string{"--chain-id", "5", ere}, ere + ": got an archive of chain 1, want one of chain 5"},
		"an unknown network":           {[]string{"-", "--chain-id", "31337"}, "", []string{custom}, ""},
		"standard input":               {nil, string(whole), []string{"-"}, "stdin:1: got an era1 or ere archive from standard input or a pipe, want a file"},
		"another block":                {[]string{era1[0]}, "", []string{other}, other + ": block 199 has the hash 0x"},
		"another child":                {[]string{era1[1]}, "", []string{other}, other + ": block 199 has the hash 0x"},
		"another parent":               {[]string{other}, "", []string{era1[1]}, era1[1] + ": block 200 has the parent 0x"},
		"another network, as a number": {[]string{"-", "--chain-id", "1"}, "", []string{ere}, ""},
	} {
		db := filepath.Join(t.TempDir(), "rejected.db")
		if c.before != nil {
			importInto(t, db, strings.NewReader(first), c.before...)
		}
		_, stderr, code := run(t, strings.NewReader(c.stdin), append([]string{"import", "--db", db}, c.args...)...)
		if c.want == "" && code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
		if c.want != "" && (code != 1 || !strings.HasPrefix(stderr, "mintburn: "+c.want) || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%s: exit code %d: %q, want %q", name, code, stderr, c.want)
		}
	}
}

// TestArchives_BesidePruned indexes one chain from a node with history, from a pruned node, and
// from archives, and checks that the exports are equal where they overlap. Afterwards an archive
// fills the gap of the pruned node.
func TestArchives_BesidePruned(t *testing.T) {
	t.Parallel()
	skipShort(t, "reads archives")
	// Block 215 has transactions.
	const first, from = 216, "216"
	recorded, _, _ := chaintest.ChainA(t)
	whole, pruned := chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 1}), chaintest.NewNode(t, chaintest.NodeOptions{ChainID: 1})
	for _, node := range []*chaintest.Node{whole, pruned} {
		expect.NoError(t, node.Play(recorded...))
	}
	pruned.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, func(c chaintest.Call) bool {
		return c.Method == "eth_getLogs" && c.From < first || strings.Contains(c.Method, "Receipt") && c.To < first
	})
	folder := t.TempDir()
	full, young, old := filepath.Join(folder, "full.db"), filepath.Join(folder, "pruned.db"), filepath.Join(folder, "archives.db")
	mustRun(t, "sync", "--once", "--rpc", whole.URL, "--db", full)
	if _, stderr, code := run(t, nil, "sync", "--once", "--rpc", pruned.URL, "--db", young); code != 1 || !strings.Contains(stderr, "--from-block "+from) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	era1, _, _ := archiveFiles(t)
	importInto(t, old, nil, era1[0], era1[1], "--chain-id", "1")
	expect.Equal(t, "pruned node", exported(t, full, "--from-block", from), exported(t, young, "--from-block", from))
	expect.Equal(t, "archives", exported(t, full), exported(t, old))
	importInto(t, young, nil, era1[0], era1[1])
	expect.Equal(t, "pruned node and archives", exported(t, full), exported(t, young))
	mustRun(t, "sync", "--once", "--rpc", pruned.URL, "--db", young)
}
