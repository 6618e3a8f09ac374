package command_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/export"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// exportedRecords returns the recorded answers with the sub index and id that the API
// assigns to them.
func exportedRecords(t testing.TB, s *server, what string) (list []map[string]any) {
	t.Helper()
	var ids []any
	for after := ""; ; {
		page := s.Get(t, fmt.Sprintf(`{ %s(first: 1000%s) { cursor data { id } } }`, what, after), "")[what].(map[string]any)
		ids = append(ids, page["data"].([]any)...)
		if page["cursor"] == nil {
			break
		}
		after = fmt.Sprintf(", after: %q", page["cursor"])
	}
	for i, line := range lines(t, chainA(t, "all-"+what+".ndjson.gz")) {
		var r map[string]any
		apitest.Decode(t, line, &r)
		r["sub_index"], r["id"] = r["_batch"], ids[i].(map[string]any)["id"]
		for name := range r {
			if strings.HasPrefix(name, "_") {
				delete(r, name)
			}
		}
		list = append(list, r)
	}
	return list
}

// exportedNames are the documented fields, followed by the fields of a record's key.
var exportedNames = append(strings.Fields(strings.ReplaceAll(apitest.Documented["Transfer"], "?", "")), "sub_index", "id")

func TestExport_AllRecords(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	s := serve(t, db)
	for _, what := range []string{"mints", "burns"} {
		want := exportedRecords(t, s, what)
		t.Run(what+" as NDJSON", func(t *testing.T) {
			stdout, stderr, code := run(t, nil, "export", "--db", db, what)
			if code != 0 || !strings.Contains(stderr, fmt.Sprintf("Exported from blocks 0 to 360.\nExported %d %s. To continue later: --after ", len(want), what)) {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var got []map[string]any
			for line := range strings.Lines(stdout) {
				var r map[string]any
				apitest.Decode(t, line, &r)
				got = append(got, r)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%.3000s", diff)
			}
			var names []string
			for _, found := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(strings.SplitN(stdout, "\n", 2)[0], -1) {
				names = append(names, found[1])
			}
			expect.Equal(t, "the order of the fields", exportedNames, names)
		})
		t.Run(what+" as CSV", func(t *testing.T) {
			stdout, _ := mustRun(t, "export", "--db", db, "--format", "csv", what)
			rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
			expect.NoError(t, err)
			var got [][]string
			names := rows[0]
			for _, r := range want {
				var row []string
				for _, name := range names {
					text := ""
					if r[name] != nil {
						text = fmt.Sprint(r[name])
					}
					row = append(row, text)
				}
				got = append(got, row)
			}
			if diff := cmp.Diff(got, rows[1:]) + cmp.Diff(exportedNames, names); diff != "" {
				t.Errorf("(-want +got):\n%.3000s", diff)
			}
		})
	}
}

var continuePattern = regexp.MustCompile(`--after (\S+)`)

// TestExport_Continued exports the stored records, and later the records added since.
func TestExport_Continued(t *testing.T) {
	t.Parallel()
	skipShort(t, "exports many times")
	node, contents := generated(t, 30, 100)
	db := filepath.Join(t.TempDir(), "exported.db")
	synced := func() { mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db) }
	synced()
	for _, format := range []string{"ndjson", "csv"} {
		args := []string{"export", "--db", db, "--format", format, "mints"}
		first, stderr, _ := run(t, nil, args...)
		cursor := continuePattern.FindStringSubmatch(stderr)
		if cursor == nil {
			t.Fatalf("no cursor: %s", stderr)
		}
		if nothing, stderr, code := run(t, nil, append(args, "--after", cursor[1])...); nothing != "" || code != 0 || !strings.Contains(stderr, "Exported 0 mints. To continue later: --after "+cursor[1]) {
			t.Errorf("%s: nothing new: exit code %d, %q, %s", format, code, nothing, stderr)
		}
		contents.Seed++
		node.Generate(contents)
		synced()
		second, _, _ := run(t, nil, append(args, "--after", cursor[1])...)
		all, _, _ := run(t, nil, args...)
		if second == "" || first+second != all {
			t.Errorf("%s: %d bytes and %d bytes are not the %d bytes of the whole", format, len(first), len(second), len(all))
		}
	}
}

// withHole returns a database of blocks 5 to 10 and 20 to 25 of a chain, and its node.
func withHole(t testing.TB) (db string, node *chaintest.Node) {
	t.Helper()
	node, _ = generated(t, 40, 400)
	db = filepath.Join(t.TempDir(), "holes.db")
	for _, part := range [][2]string{{"5", "10"}, {"20", "25"}} {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--from-block", part[0], "--to-block", part[1])
	}
	return db, node
}

func TestExport_Holes(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	db, _ := withHole(t)
	stdout, said, code := run(t, nil, "export", "--db", db, "mints")
	if code != 1 || stdout != "" || !strings.Contains(said, "indexed are 5 to 10, 20 to 25") {
		t.Errorf("exit code %d, want 1: %q, %s", code, stdout, said)
	}
	var parts string
	for _, r := range [][2]string{{"5", "10"}, {"20", "25"}} {
		stdout, said, code := run(t, nil, "export", "--db", db, "mints", "--from-block", r[0], "--to-block", r[1])
		if want := "Exported from blocks " + r[0] + " to " + r[1] + "."; code != 0 || stdout == "" || !strings.Contains(said, want) {
			t.Errorf("exit code %d: %s", code, said)
		}
		parts += stdout
	}
	stdout, said, code = run(t, nil, "export", "--db", db, "mints", "--partial")
	if code != 0 || stdout != parts || !strings.Contains(said, "Exported from blocks 5 to 10, 20 to 25.") {
		t.Errorf("exit code %d, %d bytes, want %d: %s", code, len(stdout), len(parts), said)
	}
	stdout, said, code = run(t, nil, "export", "--db", db, "mints", "--partial", "--block", "15")
	if code != 0 || stdout != "" || !strings.Contains(said, "Exported from no indexed blocks.") {
		t.Errorf("exit code %d, %q: %s", code, stdout, said)
	}
}

func TestExport_Filters(t *testing.T) {
	t.Parallel()
	skipShort(t, "exports many times")
	db := filepath.Join(t.TempDir(), "final.db")
	importInto(t, db, nil, "--final", chainA(t, "bundle.ndjson.gz"))
	s := serve(t, db)
	var hash string
	var times [2]string
	for i, order := range []string{"ASC", "DESC"} {
		record := s.Get(t, "{ mints(first: 5, order: "+order+") { data { transactionHash timestamp } } }", "")["mints"].(map[string]any)["data"].([]any)[4].(map[string]any)
		hash, times[i] = record["transactionHash"].(string), record["timestamp"].(json.Number).String()
	}
	second := func(text, layout string) string {
		n, err := strconv.ParseInt(text, 10, 64)
		expect.NoError(t, err)
		return time.Unix(n, 0).UTC().Format(layout)
	}
	day, err := time.Parse(time.DateOnly, second(times[0], time.DateOnly))
	expect.NoError(t, err)
	for _, c := range []struct {
		flags []string
		query string
	}{
		{[]string{"--from-time", second(times[0], time.RFC3339), "--to-time", second(times[1], time.RFC3339)}, "fromTime: " + times[0] + ", toTime: " + times[1]},
		{[]string{"--from-time", day.Format(time.DateOnly), "--to-time", day.Format(time.DateOnly)}, fmt.Sprintf("fromTime: %d, toTime: %d", day.Unix(), day.Unix()+86399)},
		{[]string{"--block", "3"}, "block: 3"},
		{[]string{"--address", "0x663f3ad617193148711d28f5334ee4ed07016602", "--from-block", "3", "--to-block", "100"}, `address: "0x663f3ad617193148711d28f5334ee4ed07016602", fromBlock: 3, toBlock: 100`},
		{[]string{"--address", "0x663f3ad617193148711d28f5334ee4ed07016602", "--token-id", "0"}, `address: "0x663f3ad617193148711d28f5334ee4ed07016602", tokenId: 0`},
		{[]string{"--account", "0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777"}, `account: "0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777"`},
		{[]string{"--accounts", "0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777,0x0000000000000000000000000000000000000001"}, `accounts: ["0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777", "0x0000000000000000000000000000000000000001"]`},
		{[]string{"--addresses", "0x663f3ad617193148711d28f5334ee4ed07016602", "--addresses", "0x0000000000000000000000000000000000000001", "--to-block", "100"}, `addresses: ["0x663f3ad617193148711d28f5334ee4ed07016602"], toBlock: 100`},
		{[]string{"--tokens", "0x663f3ad617193148711d28f5334ee4ed07016602:0,0x663f3ad617193148711d28f5334ee4ed07016602:0x1"}, `tokens: [{address: "0x663f3ad617193148711d28f5334ee4ed07016602", tokenId: 0}, {address: "0x663f3ad617193148711d28f5334ee4ed07016602", tokenId: 1}]`},
		{[]string{"--transaction-hash", hash}, `transactionHash: "` + hash + `"`},
		{[]string{"--transaction-hashes", hash}, `transactionHashes: ["` + hash + `"]`},
		{[]string{"--from-time", times[0], "--to-time", times[1]}, "fromTime: " + times[0] + ", toTime: " + times[1]},
		{[]string{"--finality", "finalized"}, "finality: FINALIZED"},
	} {
		stdout, stderr, code := run(t, nil, append([]string{"export", "--db", db, "mints"}, c.flags...)...)
		total := s.Get(t, "{ mints(first: 0, "+c.query+") { totalItems } }", "")["mints"].(map[string]any)["totalItems"].(json.Number)
		if got := fmt.Sprint(strings.Count(stdout, "\n")); code != 0 || got != total.String() || got == "0" {
			t.Errorf("%v: exit code %d, %s records, want %s: %s", c.flags, code, got, total, stderr)
		}
	}
	// Combinations without an index have the words of the API, and the names of flags.
	flagNames := strings.NewReplacer("fromBlock", "--from-block", "toBlock", "--to-block", "fromTime", "--from-time", "toTime", "--to-time", "tokenId", "--token-id", "transactionHash", "--transaction-hash",
		"addresses", "--addresses", "address", "--address", "account", "--account", "block", "--block", "finality", "--finality")
	for flags, query := range map[string]string{
		"--block 3 --from-block 3": "block: 3, fromBlock: 3",
		"--token-id 3":             "tokenId: 3",
		"--account 0x663f3ad617193148711d28f5334ee4ed07016602 --transaction-hash " + hash: `account: "0x663f3ad617193148711d28f5334ee4ed07016602", transactionHash: "` + hash + `"`,
		"--block 3 --finality finalized":                                      "block: 3, finality: FINALIZED",
		"--addresses 0x663f3ad617193148711d28f5334ee4ed07016602 --token-id 1": `addresses: ["0x663f3ad617193148711d28f5334ee4ed07016602"], tokenId: 1`,
		"--from-time 5 --to-time 4":                                           "fromTime: 5, toTime: 4",
	} {
		refused := s.Ask(t, "{ mints("+query+") { totalItems } }", "").OnlyError(t, "BAD_USER_INPUT")
		fails(t, 2, "mintburn: "+flagNames.Replace(refused.Message)+" (see mintburn --help)\n", append([]string{"export", "--db", db, "mints"}, strings.Fields(flags)...)...)
	}
	fails(t, 2, "invalid cursor", "export", "--db", db, "mints", "--after", "no-cursor")
}

// TestExport_Reorged continues exports of each set while the chain grows and reorgs. Exports
// exit with code 3 where rows were orphaned. The remaining and the added rows must equal a
// full export.
func TestExport_Reorged(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, contents := generated(t, 30, 10)
	db := filepath.Join(t.TempDir(), "reorged.db")
	next := regexp.MustCompile(`^mintburn: a reorg orphaned the cursor's block: drop the rows from block retractedFromBlock=(\d+) on, then continue after rewindCursor=(\S+) with: mintburn (.*)\n$`)
	sets := []string{"mints", "burns", "blocks", "rejected"}
	folded, cursors, rewound := map[string]string{}, map[string]string{}, map[string]int{}
	for _, depth := range []int{0, 6, 0, 1, 9} {
		node.Reorg(depth, make([][][]evm.Log, depth+1)...)
		contents.Seed++
		node.Mine([]evm.Log{{Address: evm.Address{1}, Topics: []evm.Hash{evm.TopicTransferSingle.Hash()}, Data: []byte{byte(contents.Seed)}}})
		node.Generate(contents)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		for _, set := range sets {
			args := []string{"export", "--db", db, set}
			if cursors[set] != "" {
				args = append(args, "--after", cursors[set])
			}
			stdout, said, code := run(t, nil, args...)
			if code == 3 {
				rewound[set]++
				found := next.FindStringSubmatch(said)
				if stdout != "" || found == nil || !strings.HasSuffix(found[3], " --after "+found[2]) {
					t.Fatalf("%s: exit code 3: %q, %q", set, stdout, said)
				}
				from, err := strconv.ParseUint(found[1], 10, 64)
				expect.NoError(t, err)
				folded[set] = below(t, folded[set], from)
				stdout, said = mustRun(t, strings.Fields(found[3])...)
			} else if code != 0 {
				t.Fatalf("%s: exit code %d: %s", set, code, said)
			}
			folded[set] += stdout
			if found := continuePattern.FindStringSubmatch(said); found != nil {
				cursors[set] = found[1]
			}
			if whole, _ := mustRun(t, "export", "--db", db, set); folded[set] != whole || whole == "" {
				t.Fatalf("%s, reorg of %d blocks: the parts have %d bytes, a full export %d", set, depth, len(folded[set]), len(whole))
			}
		}
	}
	if rewound["blocks"] < 3 || rewound["mints"] < 2 {
		t.Errorf("rows were orphaned %v times: want more", rewound)
	}
}

// below returns the lines of NDJSON whose block number is below number.
func below(t *testing.T, text string, number uint64) string {
	t.Helper()
	var kept strings.Builder
	for line := range strings.Lines(text) {
		var row struct {
			Block uint64 `json:"block_number"`
		}
		expect.NoError(t, json.Unmarshal([]byte(line), &row))
		if row.Block < number {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestExport_Output checks that a file appears once it is complete, and that a failed export
// leaves an existing file unchanged.
func TestExport_Output(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "mints.ndjson")
	want, _ := mustRun(t, "export", "--db", db, "mints")
	holds := func(text string) {
		t.Helper()
		got, err := os.ReadFile(file)
		expect.NoError(t, err)
		files, err := os.ReadDir(folder)
		expect.NoError(t, err)
		if string(got) != text || len(files) != 1 {
			t.Errorf("the file has %d bytes, want %d, next to %d other files", len(got), len(text), len(files)-1)
		}
	}
	expect.NoError(t, os.WriteFile(file, []byte("before"), 0o600))
	fails(t, 2, "invalid cursor", "export", "--db", db, "mints", "--output", file, "--after", "no-cursor")
	holds("before")
	if stdout, said := mustRun(t, "export", "--db", db, "mints", "--output", file); stdout != "" || !strings.Contains(said, "Exported 1080 mints. To continue later: --after ") {
		t.Errorf("it printed %q and %q", stdout, said)
	}
	holds(want)
	fails(t, 2, "want a file name", "export", "--db", db, "mints", "--output", folder)
	fails(t, 1, "--output: open ", "export", "--db", db, "mints", "--output", filepath.Join(folder, "none", "x"))
	holds(want)
}

// TestExport_Refused checks the errors for filters that a set does not have, and for Parquet
// in a build without it.
func TestExport_Refused(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"blocks --address 0x663f3ad617193148711d28f5334ee4ed07016602":      "blocks: the only filters are --from-block, --to-block and --partial",
		"collections --address 0x00000000000000000000000000000000000000aa": "collections: the only filters are --from-block, --to-block and --partial",
		"rejected --block 3":                 "rejected: the only filters are --from-block, --to-block and --partial",
		"metadata --from-block 3":            "metadata: the only filter is --address",
		"metadata --partial":                 "metadata: the only filter is --address",
		"metadata --address 0x1":             "--address",
		"documents --to-block 3":             "documents: the only filter is --address",
		"documents --format csv":             "documents: --format: got csv, want ndjson",
		"blocks --from-block 4 --to-block 3": "fromBlock: got 4, want at most toBlock",
		"prices":                             `<what>: got "prices", want mints`,
	} {
		fails(t, 2, want, append([]string{"export", "--db", storetest.SQLite(t)}, strings.Fields(args)...)...)
	}
	if !export.HasParquet {
		fails(t, 2, "--format parquet: this build has no Parquet: want ndjson or csv, or a build with -tags parquet", "export", "mints", "--format", "parquet")
	}
	fails(t, 1, "nothing is indexed yet", "export", "--db", storetest.SQLite(t), "blocks")
	stdout, said := mustRun(t, "export", "--db", storetest.SQLite(t), "metadata")
	expect.Equal(t, "metadata of an empty database", "Exported 0 metadata documents.\n", stdout+said)
}
