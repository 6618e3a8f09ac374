package command_test

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/google/go-cmp/cmp"

	"mintburn/graph"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// longestREADME is the maximum length of README.md, in lines.
const longestREADME = 250

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// A path of a server, /docs/api.md, is no citation.
	citation   = regexp.MustCompile(`(?:^|[^/])(docs/\w+\.md(?:#[\w-]+)?)(,\s(?://\s)?section)?`)
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	quotedName = regexp.MustCompile("`([\\w.]+)")
)

// anchors returns the anchors that GitHub generates for a document's headings.
func anchors(text string) (list []string) {
	seen := map[string]int{}
	for _, h := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		anchor := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		if seen[anchor]++; seen[anchor] > 1 {
			anchor = fmt.Sprintf("%s-%d", anchor, seen[anchor]-1)
		}
		list = append(list, anchor)
	}
	return list
}

// TestDocs_Links checks that each relative link in a document, and each citation of a
// document in code, leads to an existing file and anchor. [TestDocs_Site] does so at /docs.
func TestDocs_Links(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(from, target string) {
		found++
		name, anchor, _ := strings.Cut(target, "#")
		if name == "" {
			name = from
		} else {
			name = path.Join(path.Dir(from), name)
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Errorf("%s: %s is no file", from, target)
		} else if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
			t.Errorf("%s: %s has no heading #%s", from, name, anchor)
		}
	}
	projectFiles(t, func(file string, text []byte) {
		if !strings.HasSuffix(file, ".md") {
			for _, cited := range citation.FindAllStringSubmatch(string(text), -1) {
				check("README.md", cited[1])
				if cited[2] != "" {
					t.Errorf("%s cites %s: cite the anchor of its heading", file, cited[0])
				}
			}
			return
		}
		for _, l := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			if !strings.Contains(l[1], "://") && !strings.Contains(file, "/testdata/") {
				check(file, l[1])
			}
		}
	})
	if found < 50 {
		t.Errorf("%d links were found", found)
	}
	if n := strings.Count(documents(t)["README.md"], "\n"); n > longestREADME {
		t.Errorf("README.md has %d lines, want at most %d", n, longestREADME)
	}
}

// section returns the text of a document below a heading of the second level, up to the
// next one.
func section(t *testing.T, document, title string) string {
	t.Helper()
	_, text, ok := strings.Cut(documents(t)[document], "\n## "+title+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", document, title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// listed returns the names in the first column of the tables whose first column has a
// given title. Each name must occur once.
func listed(t *testing.T, text, column string) (names []string) {
	t.Helper()
	inTable := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "| "+column+" |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "| ---"):
			cell, _, _ := strings.Cut(line[2:], " |")
			for _, name := range regexp.MustCompile("`[^`]*`").FindAllString(cell, -1) {
				names = append(names, quotedName.FindStringSubmatch(name)[1])
			}
		}
	}
	slices.Sort(names)
	if unique := slices.Compact(slices.Clone(names)); len(unique) < len(names) {
		t.Errorf("%q: some names have two rows: %v", column, names)
	}
	return names
}

// TestDocs_Schema checks that docs/api.md lists exactly the queries, arguments and
// fields of the schema, each once.
func TestDocs_Schema(t *testing.T) {
	t.Parallel()
	types := graph.NewSchema(1_000, time.Now).Schema().Types
	fields := func(name, prefix string) (list []string) {
		for _, f := range types[name].Fields {
			if !strings.HasPrefix(f.Name, "__") {
				list = append(list, prefix+f.Name)
			}
		}
		return list
	}
	var arguments []string
	for _, f := range types["Query"].Fields {
		if f.Name == "mints" {
			for _, a := range f.Arguments {
				arguments = append(arguments, a.Name)
			}
		}
	}
	api := func(title, column string) []string { return listed(t, section(t, "docs/api.md", title), column) }
	for what, c := range map[string]struct{ want, got []string }{
		"queries":   {fields("Query", ""), api("Queries", "field of `Query`")},
		"arguments": {arguments, slices.Concat(api("Filters", "argument"), api("Paging", "argument"))},
		"mints":     {fields("Mint", ""), api("Mints and burns", "field")},
		"burns":     {fields("Burn", ""), api("Mints and burns", "field")},
		"metadata":  {slices.Concat(fields("TokenMetadata", ""), fields("Attribute", "attributes.")), api("Token metadata", "field")},
		"chain":     {fields("Chain", ""), api("Chain", "field")},
	} {
		slices.Sort(c.want)
		slices.Sort(c.got)
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-schema +docs/api.md):\n%s", what, diff)
		}
	}
}

// TestDocs_Combinations checks that exactly the combinations of filters in docs/api.md
// are accepted, with a block range only where it is documented.
func TestDocs_Combinations(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	const address = `"0x5fbdb2315678afecb367f032d93f642f64180aa3"`
	values := map[string]string{
		"block": "82", "address": address, "tokenId": `"1"`, "account": address,
		"transactionHash": `"0x7cf640d974dc4206877809e8696b01a3ee9913297381e298a15dfdaa678c186a"`,
		"addresses":       "[" + address + "]", "accounts": "[]", "transactionHashes": "[]", "tokens": "[{address: " + address + ", tokenId: 1}]",
	}
	accepted := map[string]bool{}
	row := regexp.MustCompile(`(?m)^\| (.+?) \| (.*?) ?\| (yes|no) \|$`)
	for _, r := range row.FindAllStringSubmatch(section(t, "docs/api.md", "Filters"), -1) {
		for _, with := range append(strings.Split(r[2], ", "), "") {
			var names []string
			for _, name := range quotedName.FindAllStringSubmatch(r[1]+with, -1) {
				names = append(names, name[1])
			}
			slices.Sort(names)
			accepted[strings.Join(names, " ")] = true
			accepted[strings.Join(append(names, "range"), " ")] = r[3] == "yes"
		}
	}
	s := start(t, "demo")
	names := slices.Sorted(maps.Keys(values))
	for i := range 1 << len(names) {
		for _, ranged := range []bool{false, true} {
			var given, arguments []string
			for j, name := range names {
				if i>>j&1 == 1 {
					given, arguments = append(given, name), append(arguments, name+": "+values[name])
				}
			}
			if ranged {
				given, arguments = append(given, "range"), append(arguments, "fromBlock: 1, toBlock: 100")
			}
			key := strings.Join(given, " ")
			a := s.Ask(t, fmt.Sprintf("{ burns(first: 1, %s) { page } }", strings.Join(arguments, ", ")), "")
			if refused := len(a.Errors) > 0; refused == accepted[key] {
				t.Errorf("%q: documented as accepted: %t, but the answer is %s", key, accepted[key], a.Text)
			}
		}
	}
}

// TestDocs_Codes checks that docs/api.md and docs/troubleshooting.md list each error code of the
// program once.
func TestDocs_Codes(t *testing.T) {
	t.Parallel()
	want := []string{errcode.ParseFailed, errcode.ValidationFailed}
	declared := regexp.MustCompile(`Code = "([A-Z_]+)"\n`)
	handwritten(t, func(file string, text []byte) {
		if strings.HasPrefix(file, "internal/") && !strings.HasSuffix(file, "_test.go") {
			for _, code := range declared.FindAllStringSubmatch(string(text), -1) {
				want = append(want, code[1])
			}
		}
	})
	slices.Sort(want)
	for document, title := range map[string]string{"docs/api.md": "Errors", "docs/troubleshooting.md": "Error codes"} {
		if diff := cmp.Diff(want, listed(t, section(t, document, title), "code")); diff != "" || len(want) < 10 {
			t.Errorf("error codes (-program +%s):\n%s", document, diff)
		}
	}
}

// TestDocs_Metrics checks that docs/observe.md lists each metric of a server that
// follows a chain once, and that ops/grafana.json and ops/alerts.yaml name no others.
func TestDocs_Metrics(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	s := start(t, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--rpc", node.URL, "--poll", "10ms")
	awaitMetric(t, s, "mintburn_endpoint_up")
	awaitMetric(t, s, "mintburn_head_block")
	s.Ask(t, "{ mints(first: -1) { page } }", "")
	got := s.Send(t, http.MethodGet, "/metrics", "")
	var names []string
	for _, found := range regexp.MustCompile(`(?m)^# HELP (mintburn_\w+) `).FindAllStringSubmatch(got.Body, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, listed(t, section(t, "docs/observe.md", "Metrics"), "metric")); diff != "" {
		t.Errorf("metrics (-program +docs/observe.md):\n%s", diff)
	}
	for _, file := range []string{"grafana.json", "alerts.yaml"} {
		text, err := os.ReadFile(filepath.Join(root, "ops", file))
		expect.NoError(t, err)
		named := regexp.MustCompile(`\b(mintburn|process|go)_[a-z_]+\b`).FindAllString(string(text), -1)
		for _, name := range named {
			if !strings.Contains(got.Body, "\n"+name+"{") && !strings.Contains(got.Body, "\n"+name+" ") {
				t.Errorf("ops/%s names %s, which /metrics does not contain", file, name)
			}
		}
		if len(named) < 10 {
			t.Errorf("ops/%s names %d metrics", file, len(named))
		}
	}
}

// generatedMark matches the standard line near the beginning of generated files.
var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// prose matches the handwritten files, notRead the folders without such files.
var (
	prose   = regexp.MustCompile(`\.(go|md|graphqls|sql|tmpl|gotpl|txtar|jsx?|mjs|ts|ya?ml)$|^Makefile$|^run$|^long$`)
	notRead = regexp.MustCompile(`^(\..+|node_modules|built|dist|generated)$`)
)

// projectFiles calls f with each handwritten file of the project.
func projectFiles(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && file != root && name != ".ci" && notRead.MatchString(name):
			return filepath.SkipDir
		case entry.IsDir() || !prose.MatchString(name):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil || generatedMark.Match(text[:min(len(text), 1000)]) {
			return err
		}
		files++
		f(strings.TrimPrefix(filepath.ToSlash(file), root+"/"), text)
		return nil
	})
	expect.NoError(t, err)
	if files < 100 {
		t.Errorf("found %d files", files)
	}
}

// handwritten calls f with each handwritten Go file of the project.
func handwritten(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	projectFiles(t, func(file string, text []byte) {
		if strings.HasSuffix(file, ".go") {
			f(file, text)
		}
	})
}
