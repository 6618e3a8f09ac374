package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"mintburn/internal/httpapi/layout"
)

// Config configures the pages.
type Config struct {
	// Files are files of the repository by their paths in it: the documents, which end in .md,
	// and the files that they link to.
	Files fs.FS
	// OpenAPI is the description of the REST routes, in JSON.
	OpenAPI []byte
	// Bound bounds how many requests are answered at once by a handler that computes its answer.
	Bound func(http.Handler) http.Handler
	// Log receives the errors that visitors do not see.
	Log *slog.Logger
}

// Paths are the patterns of the paths that [New] serves.
var Paths = []string{"/docs", "/docs/", llmsPath}

// policy lets a page load its style sheet and pictures from this server, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// pageType is the media type of the pages.
const pageType = "text/html; charset=utf-8"

//go:embed docs.css
var ownStyle []byte

// styleSheet contains the layout's style as well.
var styleSheet = slices.Concat(layout.Style, ownStyle)

//go:embed templates
var templateFiles embed.FS

// handler serves [Paths].
type handler struct {
	Config
	sender  layout.Sender
	library func() (*library, error)
	// texts contains each [layout.Text] that was sent, by its path.
	texts sync.Map
	// computed answers requests whose answers are computed.
	computed http.Handler
}

// New returns the handler of GET requests for [Paths].
func New(c Config) http.Handler {
	h := &handler{Config: c, sender: layout.NewSender(), library: sync.OnceValues(func() (*library, error) { return newLibrary(c) })}
	h.computed = c.Bound(http.HandlerFunc(h.compute))
	return layout.WithPolicy(policy, http.HandlerFunc(h.serve))
}

// view is the data of a page's template.
type view struct {
	layout.Header
	// Docs is the relative URL of /docs/.
	Docs  string
	Page  *page
	Pages []*page
	// Query is the text searched for, and Most the most characters that it may have.
	Query   string
	Most    int
	Problem string
	Found   []result
	REST    *openAPI
}

var templates = func() map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range []string{"page", "search", "rest", "missing"} {
		text := ""
		for _, file := range []string{"frame", name} {
			part, err := templateFiles.ReadFile("templates/" + file + ".html")
			if err != nil {
				panic(err)
			}
			text += string(part)
		}
		all[name] = layout.Parse(text)
	}
	return all
}()

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	at, below := pathOf(r)
	if !below && at != llmsPath {
		// http.Redirect would make the path absolute, which is wrong below a proxy's path.
		w.Header().Set("Location", "docs/")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	text, known := h.texts.Load(at)
	if !known {
		found, err := h.text(at)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		if found == nil {
			h.computed.ServeHTTP(w, r)
			return
		}
		text, _ = h.texts.LoadOrStore(at, found)
	}
	h.sender.Send(w, r, http.StatusOK, text.(*layout.Text))
}

// pathOf returns the path of a request below /docs/, as the client sees it. below is false for
// another path, which it returns whole.
func pathOf(r *http.Request) (at string, below bool) {
	return strings.CutPrefix(r.URL.EscapedPath(), "/docs/")
}

// text returns the text at a path, whose answer never changes, or nil if there is none. A file of
// the repository is sent as it is, but links in a Markdown file lead to files at /docs.
func (h *handler) text(at string) (*layout.Text, error) {
	l, err := h.library()
	if err != nil {
		return nil, err
	}
	name, known := l.files[at]
	switch document := l.byPath[at]; {
	case at == llmsPath:
		return layout.NewText("text/plain; charset=utf-8", l.llms), nil
	case at == stylePath:
		return layout.NewText("text/css; charset=utf-8", styleSheet), nil
	case at == restPath:
		return render("rest", at, view{Page: l.rest.page, REST: l.rest, Pages: l.pages})
	case document != nil:
		return render("page", at, view{Page: document, Pages: l.pages})
	case !known:
		return nil, nil //nolint:nilnil // Most paths have no text, which is no error.
	}
	text, err := fs.ReadFile(h.Files, name)
	mediaType := "text/plain; charset=utf-8"
	switch extension := path.Ext(name); extension {
	case markdown:
		mediaType, text = "text/markdown; charset=utf-8", l.relinked(name, text, false)
	case ".webp", ".png", ".svg":
		mediaType = mime.TypeByExtension(extension)
	}
	return layout.NewText(mediaType, text), err
}

// compute answers a search for the parameter q with the sections that match, and all other paths
// with the page that there is none.
func (h *handler) compute(w http.ResponseWriter, r *http.Request) {
	l, err := h.library()
	if err != nil {
		h.fail(w, r, err)
		return
	}
	name, status, v := "missing", http.StatusNotFound, view{Page: &page{Title: "No such page"}, Pages: l.pages}
	at, _ := pathOf(r)
	if at == searchPath {
		name, status, v.Page = "search", http.StatusOK, &page{Path: searchPath, Title: "Search"}
		v.Query = strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get("q")), "?")
		if n := len([]rune(v.Query)); n > maxQuery {
			v.Problem, v.Query, status = fmt.Sprintf("q: got %d characters, want at most %d", n, maxQuery), "", http.StatusBadRequest
		}
		v.Found = l.search(v.Query)
	}
	text, err := render(name, at, v)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.sender.Send(w, r, status, text)
}

// render executes a template for a path below /docs/.
func render(name, at string, v view) (*layout.Text, error) {
	v.Docs = upFrom(at)
	v.Header = layout.Header{Title: v.Page.Title, View: "Docs", Base: strings.TrimPrefix(v.Docs+"../", "./"), Main: "content"}
	v.Most = maxQuery
	var text bytes.Buffer
	err := templates[name].Execute(&text, v)
	return layout.NewText(pageType, bytes.TrimSpace(text.Bytes())), err
}

// fail logs an error, which the visitor does not see.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	h.Log.ErrorContext(r.Context(), "serving the docs", "path", r.URL.Path, "error", err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}
