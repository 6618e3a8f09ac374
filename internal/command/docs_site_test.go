package command_test

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
				without, want = "", append(want, anchors(documents(t)["README.md"])[1:]...)
			}
			paths = append(paths, "/docs/"+without)
			for _, l := range s.read("/docs/" + without).links {
				if strings.HasPrefix(l, "./"+without+"/") && !strings.Contains(l, "#") {
					paths = append(paths, "/docs/"+l[len("./"):], "/docs/"+l[len("./"):]+".md")
				}
			}
			if diff := cmp.Diff(want, s.read("/docs/"+without).headings); diff != "" {
				t.Errorf("%s: ids of headings (-GitHub +page):\n%s", name, diff)
			}
		}
	}
	paths = append(paths, "/llms.txt", "/docs/rest", "/docs/search?q=reorg", "/docs/search?q=")
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
		printed, err := s.shell(t, "", strings.Replace(n.Data, "curl ", "curl -sS --fail ", 1))
		if err != nil || printed == "" {
			t.Errorf("%s: %v, %q", n.Data, err, printed)
		}
	}
	if ran != 12 {
		t.Errorf("ran %d examples, want one for each of 12 routes", ran)
	}
}
