package layout

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mintburn/internal/httpapi/negotiate"
)

// AssetPolicy is the policy of the editor's workers, which take it from their own file and
// need no network, and of files that are no pages.
const AssetPolicy = "default-src 'none'"

// WithPolicy sets a content security policy and the headers that isolate the page from those of
// other origins.
func WithPolicy(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// Style is the style sheet of the header, with the colours and fonts of all pages. The scripts'
// build bundles it too.
//
//go:embed header.css
var Style []byte

// Icon is the icon of the pages, as SVG.
const Icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">` +
	`<path d="M9 1a9 9 0 0 0 0 18z" fill="#0e9f73"/><path d="M11 1a9 9 0 0 1 0 18z" fill="#e2612c"/></svg>`

// Header is the data of the templates "head" and "header".
type Header struct {
	// Title is the title of the document, and View the name of the view that it belongs to:
	// Explore, Playground or Docs.
	Title, View string
	// Base is the relative URL of the root, with a final slash, and Main the id of the element
	// below the header.
	Base, Main string
	// Chains links to the same view of the chains of a server that has several.
	Chains []ChainLink
}

// ChainLink is a link to a chain, by a relative URL. Current is that of the document.
type ChainLink struct {
	Name, URL string
	Current   bool
}

// Icon returns a URL that contains the icon, because the policies allow images of other
// origins nowhere.
func (Header) Icon() template.URL {
	return template.URL("data:image/svg+xml," + url.PathEscape(Icon)) //nolint:gosec // It is a constant.
}

const templates = `{{define "head"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} · Mintburn</title>
<link rel="icon" href="{{.Icon}}">
{{end}}
{{define "header"}}<a class="page-skip" href="#{{.Main}}">Skip to the content</a>
<header class="page-header">
<a class="page-name" href="{{.Base}}explore"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path class="page-mint" d="M9 1a9 9 0 0 0 0 18z"/><path class="page-burn" d="M11 1a9 9 0 0 1 0 18z"/></svg>Mintburn</a>
<nav aria-label="Views">
<a href="{{.Base}}explore"{{if eq .View "Explore"}} aria-current="page"{{end}}>Explore</a>
<a href="{{.Base}}"{{if eq .View "Playground"}} aria-current="page"{{end}}>Playground</a>
<a href="{{.Base}}docs/"{{if eq .View "Docs"}} aria-current="page"{{end}}>Docs</a>
</nav>
{{with .Chains}}<details class="page-chains">
<summary>{{range .}}{{if .Current}}{{.Name}}{{end}}{{end}}</summary>
<nav aria-label="Chains">
{{range .}}<a href="{{.URL}}" data-chain="{{.Name}}"{{if .Current}} aria-current="page"{{end}}>{{.Name}}</a>
{{end}}</nav>
</details>
{{end}}</header>
{{end}}`

// Parse returns a template that may use "head", the beginning of a document up to its style
// sheets, and "header", the beginning of its body, both with a [Header]. It panics if the text
// is no template.
func Parse(text string) *template.Template {
	return template.Must(template.Must(template.New("layout").Parse(templates)).New("page").Parse(text))
}

// Sender sends whole texts, compressed as the client prefers. It is safe for concurrent use.
type Sender struct{ compressors *negotiate.Compressors }

// NewSender returns a sender for as many processors as the program may use now.
func NewSender() Sender { return Sender{negotiate.NewCompressors()} }

// Page is a text that is compressed at most once in each coding, for [Sender.SendPage].
type Page struct {
	status     int
	mediaType  string
	text       []byte
	compressed map[string]func() []byte
}

// Page returns a page of a text, which must not change.
func (s Sender) Page(status int, mediaType string, text []byte) *Page {
	p := &Page{status, mediaType, text, map[string]func() []byte{}}
	for _, coding := range negotiate.Codings {
		p.compressed[coding] = sync.OnceValue(func() []byte {
			compressed, _ := s.compressors.Compress(http.Header{"Accept-Encoding": {coding}}, text)
			return compressed
		})
	}
	return p
}

// SendPage is [Sender.Send] for a page.
func (s Sender) SendPage(w http.ResponseWriter, r *http.Request, p *Page) {
	send(w, r, p.status, p.mediaType, p.text, func() (compressed []byte, coding string) {
		if coding = negotiate.ChooseCoding(r.Header, negotiate.Codings...); coding != "" {
			compressed = p.compressed[coding]()
		}
		return compressed, coding
	})
}

// Send answers a GET or HEAD request with a text. Browsers revalidate it at every use; with status
// 200, by an entity tag.
func (s Sender) Send(w http.ResponseWriter, r *http.Request, status int, mediaType string, text []byte) {
	send(w, r, status, mediaType, text, func() ([]byte, string) { return s.compressors.Compress(r.Header, text) })
}

func send(w http.ResponseWriter, r *http.Request, status int, mediaType string, text []byte, compress func() ([]byte, string)) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		// The tag is weak, because it is the same in each coding.
		w.Header().Set("ETag", fmt.Sprintf(`W/"%.16x"`, sha256.Sum256(text)))
	}
	if compressed, coding := compress(); compressed != nil {
		w.Header().Set("Content-Encoding", coding)
		text = compressed
	}
	if status == http.StatusOK {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
		return
	}
	w.WriteHeader(status)
	// An error means that the client is gone.
	_, _ = w.Write(text)
}
