package command_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/apitest"
	"mintburn/internal/chaintest"
	"mintburn/internal/expect"
)

// exportedRecords are the recorded answers with the sub index and id that the API
// gives them.
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

// exportedNames are the documented fields, and then those that make a record's key.
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

// TestExport_Continued exports what is there, and later what came since.
func TestExport_Continued(t *testing.T) {
	t.Parallel()
	node, contents := generated(t, 30, 100)
	db := filepath.Join(t.TempDir(), "exported.db")
	synced := func() {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	}
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
	db := importChainA(t)
	s := serve(t, db)
	for _, c := range []struct {
		flags []string
		query string
	}{
		{[]string{"--block", "3"}, "block: 3"},
		{[]string{"--address", "0x663f3ad617193148711d28f5334ee4ed07016602", "--from-block", "3", "--to-block", "100"}, `address: "0x663f3ad617193148711d28f5334ee4ed07016602", fromBlock: 3, toBlock: 100`},
		{[]string{"--address", "0x663f3ad617193148711d28f5334ee4ed07016602", "--token-id", "0"}, `address: "0x663f3ad617193148711d28f5334ee4ed07016602", tokenId: 0`},
		{[]string{"--account", "0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777"}, `account: "0xd3a5979a1d3737c7bb7d926cffa8b7c83de60777"`},
	} {
		stdout, stderr, code := run(t, nil, append([]string{"export", "--db", db, "mints"}, c.flags...)...)
		total := s.Get(t, "{ mints(first: 0, "+c.query+") { totalItems } }", "")["mints"].(map[string]any)["totalItems"].(json.Number)
		if got := fmt.Sprint(strings.Count(stdout, "\n")); code != 0 || got != total.String() || got == "0" {
			t.Errorf("%v: exit code %d, %s records, want %s: %s", c.flags, code, got, total, stderr)
		}
	}
	stdout, stderr, code := run(t, nil, "export", "--db", db, "mints", "--block", "3", "--from-block", "3")
	if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "mintburn: these filters can't be combined") {
		t.Errorf("filters that do not fit: exit code %d: %s%s", code, stdout, stderr)
	}
	fails(t, 2, "invalid cursor", "export", "--db", db, "mints", "--after", "no-cursor")
}

// TestExport_Reorged continues an export after a reorg: it fails with a code of its
// own, and the command that it prints gives what replaced the orphaned records.
func TestExport_Reorged(t *testing.T) {
	t.Parallel()
	node, contents := generated(t, 30, 10)
	db := filepath.Join(t.TempDir(), "reorged.db")
	synced := func() {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	}
	synced()
	before, said, _ := run(t, nil, "export", "--db", db, "mints")
	cursor := continuePattern.FindStringSubmatch(said)
	if cursor == nil {
		t.Fatalf("no cursor: %s", said)
	}
	node.Reorg(5, nil, nil, nil, nil, nil, nil)
	contents.Seed++
	node.Generate(contents)
	synced()
	stdout, said, code := run(t, nil, "export", "--db", db, "mints", "--after", cursor[1])
	next := regexp.MustCompile(`^mintburn: a reorg orphaned the cursor's block: drop the records from block (\d+) on, then continue with: mintburn (.*)\n$`).FindStringSubmatch(said)
	if code != 3 || stdout != "" || next == nil {
		t.Fatalf("exit code %d, want 3: %q, %q", code, stdout, said)
	}
	rest, _ := mustRun(t, strings.Fields(next[2])...)
	var kept strings.Builder
	for line := range strings.Lines(before) {
		var r map[string]any
		apitest.Decode(t, line, &r)
		number, _ := strconv.Atoi(fmt.Sprint(r["block_number"]))
		if from, _ := strconv.Atoi(next[1]); number < from {
			kept.WriteString(line)
		}
	}
	whole, _, _ := run(t, nil, "export", "--db", db, "mints")
	if kept.Len() == 0 || kept.Len() == len(before) || kept.String()+rest != whole {
		t.Errorf("%d bytes of %d were kept, and %d came since: want the %d of the whole", kept.Len(), len(before), len(rest), len(whole))
	}
}
