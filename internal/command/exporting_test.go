package command_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chaintest"
)

// documentedRecords are the recorded answers without what is not documented.
func documentedRecords(t testing.TB, path string) (list []map[string]any) {
	t.Helper()
	for _, line := range lines(t, path) {
		var r map[string]any
		decode(t, []byte(line), &r)
		for name := range r {
			if strings.HasPrefix(name, "_") {
				delete(r, name)
			}
		}
		list = append(list, r)
	}
	return list
}

func TestExport_AllRecords(t *testing.T) {
	db := importChainA(t)
	for _, what := range []string{"mints", "burns"} {
		want := documentedRecords(t, chainA(t, "all-"+what+".ndjson.gz"))
		t.Run(what+" as NDJSON", func(t *testing.T) {
			stdout, stderr, code := run(t, nil, "export", "--db", db, what)
			if code != 0 || !strings.HasPrefix(stderr, fmt.Sprintf("Exported %d %s. To continue later: --after ", len(want), what)) {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			var got []map[string]any
			for line := range strings.Lines(stdout) {
				var r map[string]any
				decode(t, []byte(line), &r)
				got = append(got, r)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%.3000s", diff)
			}
			if !strings.HasPrefix(stdout, `{"token_address":"0x`) {
				t.Errorf("the fields are not in the documented order: %.300s", stdout)
			}
		})
		t.Run(what+" as CSV", func(t *testing.T) {
			stdout, stderr, code := run(t, nil, "export", "--db", db, "--format", "csv", what)
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
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
			if diff := cmp.Diff(got, rows[1:]); diff != "" || len(names) != 13 {
				t.Errorf("columns %v (-want +got):\n%.3000s", names, diff)
			}
		})
	}
}

var continuePattern = regexp.MustCompile(`--after (\S+)`)

// TestExport_Continued exports what is there, and later what came since.
func TestExport_Continued(t *testing.T) {
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 30, 100
	node.Generate(contents)
	db := filepath.Join(t.TempDir(), "exported.db")
	synced := func() {
		if _, stderr, code := run(t, nil, "sync", "--once", "--rpc", node.URL, "--db", db); code != 0 {
			t.Fatalf("sync: exit code %d: %s", code, stderr)
		}
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

func TestExport_Filters(t *testing.T) {
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
		total := s.get(t, "{ mints(first: 0, "+c.query+") { totalItems } }", "")["mints"].(map[string]any)["totalItems"].(json.Number)
		if got := fmt.Sprint(strings.Count(stdout, "\n")); code != 0 || got != total.String() || got == "0" {
			t.Errorf("%v: exit code %d, %s records, want %s: %s", c.flags, code, got, total, stderr)
		}
	}
	stdout, stderr, code := run(t, nil, "export", "--db", db, "mints", "--block", "3", "--from-block", "3")
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "mintburn: these filters can't be combined") {
		t.Errorf("filters that do not fit: exit code %d: %s%s", code, stdout, stderr)
	}
}
