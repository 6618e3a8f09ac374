package command_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"mintburn/internal/testing/expect"
)

// docsSite reads the pages of a server, each once.
type docsSite struct {
	t      *testing.T
	server *server
	pages  map[string]docsPage
}

// docsPage is what a page links to, and the ids of its elements, apart those of headings and of entries
// that lead to headings on other pages.
type docsPage struct {
	status        int
	links         []string
	ids, headings []string
}

// read returns a page by its path.
func (s *docsSite) read(at string) docsPage {
	s.t.Helper()
	if p, known := s.pages[at]; known {
		return p
	}
	got := s.server.Send(s.t, http.MethodGet, at, "")
	p := docsPage{status: got.Status}
	ours := strings.HasPrefix(at, "/docs/")
	switch media, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";"); media {
	case "text/html":
		document, err := html.Parse(strings.NewReader(got.Body))
		expect.NoError(s.t, err)
		for n := range document.Descendants() {
			for _, a := range n.Attr {
				switch {
				case a.Key == "id":
					p.ids = append(p.ids, a.Val)
					if len(n.Data) == 2 && n.Data[0] == 'h' || slices.Contains(n.Parent.Attr, html.Attribute{Key: "class", Val: "parts"}) {
						p.headings = append(p.headings, a.Val)
					}
				case n.Data != "input" && (a.Key == "href" || a.Key == "src" || a.Key == "action"):
					p.links = append(p.links, a.Val)
				case a.Key == "alt" && len(a.Val) < 10:
					s.t.Errorf("%s: a picture has the text %q", at, a.Val)
				case ours && (a.Key == "style" || strings.HasPrefix(a.Key, "on")):
					s.t.Errorf("%s: the attribute %s violates the policy", at, a.Key)
				}
			}
			if ours && (n.Data == "script" && n.FirstChild != nil || n.Data == "style") {
				s.t.Errorf("%s: the element %s violates the policy", at, n.Data)
			}
		}
	case "text/markdown", "text/plain":
		if path.Ext(at) == ".md" || at == "/llms.txt" {
			for _, l := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(got.Body, ""), -1) {
				target, _, _ := strings.Cut(l[1], "#")
				p.links = append(p.links, target)
			}
		}
	}
	s.pages[at] = p
	return p
}

// TestDocs_Site reads every page at /docs and follows every link on it: the target answers with
// 200, and has the anchor. The headings of a document have the ids that GitHub gives them, on its page or
// as entries that lead to its parts; the front page was README.md before.
func TestDocs_Site(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	s := &docsSite{t: t, server: start(t, "demo"), pages: map[string]docsPage{}}
	var paths []string
	pictures := 0
	for name, file := range embedded() {
		if path.Ext(name) == ".webp" {
			pictures += len(file.Data)
		}
		if strings.Contains(name, "node_modules") {
			t.Errorf("the program embeds %s", name)
		}
		at := strings.TrimPrefix(name, "docs/")
		paths = append(paths, "/docs/"+at)
		if without, document := strings.CutSuffix(at, ".md"); document {
			want := anchors(string(file.Data))
			if name == "docs/index.md" {
				without, want = "", append(want, anchors(documents(t)["README.md"])...)
			}
			paths = append(paths, "/docs/"+without)
			for _, l := range s.read("/docs/" + without).links {
				if strings.HasPrefix(l, "./"+without+"/") && !strings.Contains(l, "#") {
					paths = append(paths, "/docs/"+l[len("./"):], "/docs/"+l[len("./"):]+".md")
				}
			}
			if diff := gocmp.Diff(want, s.read("/docs/"+without).headings); diff != "" {
				t.Errorf("%s: ids of headings (-GitHub +page):\n%s", name, diff)
			}
		}
	}
	for _, l := range s.read("/docs/graphql").links {
		if part, ok := strings.CutPrefix(l, "./graphql/"); ok && !strings.Contains(part, "#") {
			paths = append(paths, "/docs/graphql/"+part, "/docs/graphql/"+part+".md")
			if strings.HasPrefix(part, "query-") && !strings.Contains(s.server.Send(t, http.MethodGet, "/docs/graphql/"+part, "").Body, "language-graphql") {
				t.Errorf("/docs/graphql/%s has no example", part)
			}
		}
	}
	paths = append(paths, "/llms.txt", "/docs/graphql", "/docs/graphql.md", "/docs/rest", "/docs/search?q=reorg", "/docs/search?q=")
	followed := 0
	for _, at := range paths {
		p, from := s.read(at), &url.URL{Path: at}
		if p.status != http.StatusOK {
			t.Errorf("%s: status %d, want 200", at, p.status)
		}
		for _, target := range p.links {
			to, err := from.Parse(target)
			if err != nil || to.IsAbs() {
				continue
			}
			followed++
			there := s.read(to.Path)
			if there.status != http.StatusOK {
				t.Errorf("%s: %s has status %d, want 200", at, target, there.status)
			} else if to.Fragment != "" && !slices.Contains(there.ids, to.Fragment) {
				t.Errorf("%s: %s has no element #%s", at, to.Path, to.Fragment)
			}
		}
	}
	if pictures == 0 || pictures > 400_000 {
		t.Errorf("the pictures have %d bytes, want at most 400,000", pictures)
	}
	if followed < 2000 || len(paths) < 100 {
		t.Errorf("followed %d links of %d pages and files", followed, len(paths))
	}
}

// TestDocs_Search checks the first result of words that readers look for.
func TestDocs_Search(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	s := start(t, "demo")
	for query, want := range map[string]string{
		"webhook": "./api/changes#changes", "infura": "./chains#providers", "QuickNode": "./chains#providers", "alchemy": "./migrate#alchemy", "faq": "./faq#faq", "getting+started": "./start#getting-started",
		"reset": "./faq#how-do-i-reset-or-delete-a-database", "delete": "./faq#how-do-i-reset-or-delete-a-database", "filters": "./api/filters#filters", "BLOCK_NOT_INDEXED": "./faq#why-is-my-query-block_not_indexed",
	} {
		body := s.Send(t, http.MethodGet, "/docs/search?q="+query, "").Body
		_, list, _ := strings.Cut(body, `<ol class="results">`)
		_, first, _ := strings.Cut(list, `<a href="`)
		first, _, _ = strings.Cut(first, `"`)
		expect.Equal(t, query, want, first)
	}
}

// TestDocs_RESTExamples runs the example of each route on /docs/rest against the demo.
func TestDocs_RESTExamples(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	s := start(t, "demo")
	document, err := html.Parse(strings.NewReader(s.Send(t, http.MethodGet, "/docs/rest", "").Body))
	expect.NoError(t, err)
	ran := 0
	for n := range document.Descendants() {
		if n.Type != html.TextNode || !strings.HasPrefix(n.Data, "curl ") {
			continue
		}
		ran++
		if strings.HasSuffix(n.Data, "/chains'") || strings.HasSuffix(n.Data, "/proof'") {
			// The demo has only one, and no node.
			continue
		}
		printed, err := s.shell(t, "", strings.Replace(n.Data, "curl ", "curl -sS --fail ", 1))
		if err != nil || printed == "" {
			t.Errorf("%s: %v, %q", n.Data, err, printed)
		}
	}
	if ran != 15 {
		t.Errorf("ran %d examples, want one for each of 15 routes", ran)
	}
}

// TestDocs_ErrorsOfFields provokes errors of each field of Query: its page lists their codes.
func TestDocs_ErrorsOfFields(t *testing.T) {
	t.Parallel()
	skipShort(t, "runs the examples of the documents")
	const address, hash = `"0x5fbdb2315678afecb367f032d93f642f64180aa3"`, `"0x7cf640d974dc4206877809e8696b01a3ee9913297381e298a15dfdaa678c186b"`
	const other = `address: "0xdc64a140aa3e981100a9beca4e685f962f0cf6c9"`
	all, empty := start(t, "demo"), filepath.Join(t.TempDir(), "empty.db")
	mustRun(t, "migrate", "--db", empty)
	none := serve(t, empty)
	codes := map[string]string{}
	for _, field := range []string{
		"mints(first: -1)", "burns(block: 100000)", "mints(block: " + hash + ")", "burns(after: \"x\")", "mints(" + other + ")", "tokenMetadata(" + other + ")", "tokenMetadata(address: " + address + ", after: \"x\")", "tokenMetadata(address: " + address + ", first: -1)",
		"token(" + other + ", tokenId: 1)", "tokens(keys: [{" + other + ", tokenId: 1}])", "collection(" + other + ")", "collections(search: \"\")", "collections(after: \"x\")", "transaction(hash: " + hash + ")", "node(id: \"\")", "changes(after: \"x\")", "changes(first: -1)", "chain",
	} {
		name, _, _ := strings.Cut(field, "(")
		selected := map[string]string{"token": "id", "tokens": "id", "collection": "id", "transaction": "hash", "node": "id", "changes": "cursor", "chain": "lag"}[name]
		for _, s := range []*server{all, none} {
			for _, e := range s.Ask(t, "{ "+field+" { "+cmp.Or(selected, "page")+" } }", "").Errors {
				codes[fmt.Sprint(name, " ", e.Extensions["code"])] = field
			}
		}
	}
	for found, field := range codes {
		name, code, _ := strings.Cut(found, " ")
		_, errors, _ := strings.Cut(all.Send(t, http.MethodGet, "/docs/graphql/query-"+strings.ToLower(name)+".md", "").Body, "of this field: ")
		if errors, _, _ = strings.Cut(errors, "\n"); !strings.Contains(errors, "`"+code+"`") {
			t.Errorf("%s has an error %s, which its page does not list: %s", field, code, errors)
		}
	}
	if len(codes) < 16 {
		t.Errorf("provoked %d codes: %v", len(codes), codes)
	}
}
