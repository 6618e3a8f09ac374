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
	"mintburn/internal/httpapi/openapi"
)

// Config configures the pages.
type Config struct {
	// Files are files of the repository by their paths in it: the documents, which end in .md,
	// and the files that they link to.
	Files fs.FS
	// OpenAPI describes the REST routes.
	OpenAPI *openapi.Document
	// Log receives the errors that visitors do not see.
	Log *slog.Logger
}

// Paths are the patterns of the paths that [New] serves.
var Paths = []string{"/docs", "/docs/", "/llms.txt"}

// policy lets a page load its style sheet, script and pictures from this server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// The media types of the pages and their Markdown.
const pageType, markdownType = "text/html; charset=utf-8", "text/markdown; charset=utf-8"

//go:embed docs.css
var ownStyle []byte

//go:embed docs.js
var script []byte

// styleSheet contains the layout's style as well.
var styleSheet = slices.Concat(layout.Style, ownStyle)

//go:embed templates
var templateFiles embed.FS

// handler serves [Paths].
type handler struct {
	Config
	sender  layout.Sender
	library func() (*library, error)
	// pages has the pages that were rendered, by path, or by depth for those that there are not.
	pages sync.Map
}

// New returns the handler of GET requests for [Paths].
func New(c Config) http.Handler {
	h := &handler{Config: c, sender: layout.NewSender(), library: sync.OnceValues(func() (*library, error) { return newLibrary(c) })}
	return layout.WithPolicy(policy, http.HandlerFunc(h.serve))
}

// view is the data of a page's template.
type view struct {
	layout.Header
	// Docs is the relative URL of /docs/.
	Docs   string
	Page   *page
	Front  *page
	Groups []group
	// Query is the text searched for, Also its synonyms, Most the most characters that it may have, and Total the
	// number of sections with it.
	Query, Also string
	Most, Total int
	Problem     string
	Found       []result
	REST        *reference
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
	l, err := h.library()
	if err != nil {
		h.fail(w, r, err)
		return
	}
	at, below := strings.CutPrefix(r.URL.Path, "/docs/")
	_, escaped, _ := strings.Cut(r.URL.EscapedPath(), "/docs/")
	depth := strings.Count(escaped, "/")
	document, made, name := l.byPath[at], l.made[at], l.files[at]
	switch {
	case r.URL.Path == "/llms.txt":
		h.rendered(w, r, r.URL.Path, func() (*layout.Page, error) {
			return h.sender.Page(http.StatusOK, "text/plain; charset=utf-8", l.llms), nil
		})
	case !below:
		// http.Redirect would make the path absolute, which is wrong below a proxy's path.
		w.Header().Set("Location", "docs/")
		w.WriteHeader(http.StatusMovedPermanently)
	case depth != strings.Count(at, "/"), document == nil && made == nil && name == "" && !slices.Contains(reserved, at):
		// The links of a page would be wrong below a path with an escaped slash.
		h.missing(w, r, l, depth)
	case at == searchPath:
		h.search(w, r, l)
	default:
		h.rendered(w, r, at, func() (*layout.Page, error) {
			switch {
			case at == stylePath:
				return h.sender.Page(http.StatusOK, "text/css; charset=utf-8", styleSheet), nil
			case at == scriptPath:
				return h.sender.Page(http.StatusOK, "text/javascript; charset=utf-8", script), nil
			case at == restPath:
				return h.page(l, http.StatusOK, "rest", view{Page: l.rest.page, REST: l.rest})
			case document != nil:
				return h.page(l, http.StatusOK, "page", view{Page: document})
			case made != nil:
				return h.sender.Page(http.StatusOK, markdownType, l.relinked(made.document, at, made.text, false)), nil
			default:
				return h.file(l, name)
			}
		})
	}
}

// rendered sends a page that is rendered once, for its first visitor.
func (h *handler) rendered(w http.ResponseWriter, r *http.Request, key any, render func() (*layout.Page, error)) {
	known, ok := h.pages.Load(key)
	if !ok {
		known, _ = h.pages.LoadOrStore(key, sync.OnceValues(render))
	}
	p, err := known.(func() (*layout.Page, error))()
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.sender.SendPage(w, r, p)
}

// deepest is the depth below /docs/ of the deepest page that says that there is none.
const deepest = 20

// missing says that there is no page, at a depth below /docs/.
func (h *handler) missing(w http.ResponseWriter, r *http.Request, l *library, depth int) {
	if depth > deepest {
		http.Error(w, "no such page: see /docs/", http.StatusNotFound)
		return
	}
	h.rendered(w, r, depth, func() (*layout.Page, error) {
		return h.page(l, http.StatusNotFound, "missing", view{Page: &page{Path: strings.Repeat("-/", depth) + "-", Title: "No such page"}})
	})
}

// search shows the sections that match the parameter q.
func (h *handler) search(w http.ResponseWriter, r *http.Request, l *library) {
	v, status := view{Page: &page{Path: searchPath, Title: "Search"}, Query: strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get("q")), "?")}, http.StatusOK
	if n := len([]rune(v.Query)); n > maxQuery {
		v.Problem, v.Query, status = fmt.Sprintf("q: got %d characters, want at most %d", n, maxQuery), "", http.StatusBadRequest
	}
	v.Found, v.Total, v.Also = l.search(v.Query)
	p, err := h.page(l, status, "search", v)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.sender.SendPage(w, r, p)
}

// file returns a file of the repository as it is. Links in a Markdown file lead to files at /docs.
func (h *handler) file(l *library, name string) (*layout.Page, error) {
	text, err := fs.ReadFile(h.Files, name)
	if err != nil {
		return nil, err
	}
	mediaType := "text/plain; charset=utf-8"
	switch extension := path.Ext(name); extension {
	case markdown:
		mediaType, text = markdownType, l.relinked(name, located(name), text, false)
	case ".webp", ".png", ".svg":
		mediaType = mime.TypeByExtension(extension)
	}
	return h.sender.Page(http.StatusOK, mediaType, text), nil
}

// page executes a template.
func (h *handler) page(l *library, status int, name string, v view) (*layout.Page, error) {
	v.Docs, v.Front, v.Groups = upFrom(v.Page.Path), l.front, l.groups
	title := v.Page.Title
	if v.Page.Parent != nil {
		title += " · " + v.Page.Parent.Title
	}
	v.Header = layout.Header{Title: title, View: "Docs", Base: strings.TrimPrefix(v.Docs+"../", "./"), Main: "content"}
	v.Most = maxQuery
	var text bytes.Buffer
	if err := templates[name].Execute(&text, v); err != nil {
		return nil, err
	}
	return h.sender.Page(status, pageType, bytes.TrimSpace(text.Bytes())), nil
}

// fail logs an error, which the visitor does not see.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	h.Log.ErrorContext(r.Context(), "serving the docs", "path", r.URL.Path, "error", err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}
