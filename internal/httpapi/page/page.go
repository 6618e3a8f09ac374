package page

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql/playground"
	"github.com/klauspost/compress/gzip"

	"mintburn/internal/httpapi/negotiate"
)

// Assets are the embedded files of the page, for [New]: always README.md, and built/ after
// `make assets`.
//
//go:embed assets
var Assets embed.FS

// Config configures the page.
type Config struct {
	// Endpoint is the path of the API on the same server.
	Endpoint string
	// MaxCost is the highest cost of a request, which GraphiQL shows beside the last one's.
	MaxCost int
	// Tabs returns the tabs that GraphiQL opens with, at each visit. If it fails, the visitor
	// gets status 500 and the error is logged.
	Tabs func(context.Context) ([]Tab, error)
	// Gateways are where Explore loads images of ipfs: and ar: addresses from.
	Gateways Gateways
	// ExplorerURL is the block explorer that Explore links to, without a final slash, or "".
	ExplorerURL string
	// KeyRequired reports that the API needs a key, for which Explore then asks.
	KeyRequired bool
	// Log receives the errors that visitors do not see.
	Log *slog.Logger
}

// endpoint returns the path of the API relative to the root.
func (c Config) endpoint() string { return strings.TrimPrefix(c.Endpoint, "/") }

// New returns the handler of [Paths]: GraphiQL and Explore, from assets, which are [Assets]
// outside tests. A binary built without `make assets` serves gqlgen's page instead, which loads
// GraphiQL from a CDN and has neither example tabs nor Explore.
//
// All URLs in the documents are relative, so that they work below a path of a proxy.
//
// docs/explore.md.
func New(assets fs.FS, c Config) http.Handler {
	mux := http.NewServeMux()
	p := &page{
		compressors: negotiate.NewCompressors(),
		log:         c.Log,
		template:    template.Must(template.New("page").Parse(documentTemplate)),
		assets:      assets,
		licences:    findAsset(assets, "licences-*.txt"),
	}
	mux.Handle("GET /favicon.ico", WithPolicy(AssetPolicy, http.HandlerFunc(serveIcon)))
	graphiql := view{Name: "GraphiQL", Script: findAsset(assets, "page-*.js"), Style: findAsset(assets, "page-*.css")}
	explore := view{Name: "Explore", Script: findAsset(assets, "explore-*.js"), Style: findAsset(assets, "explore-*.css")}
	if graphiql.Script == "" || graphiql.Style == "" || explore.Script == "" || explore.Style == "" {
		mux.Handle("GET /{$}", WithPolicy("frame-ancestors 'none'", playground.Handler("Mintburn", c.Endpoint)))
		return mux
	}
	mux.Handle("GET /{$}", WithPolicy(pagePolicy, p.graphiql(graphiql, c)))
	for _, pattern := range []string{"GET /explore", "GET /explore/"} {
		mux.Handle(pattern, c.Gateways.withPolicy(p.explore(explore, c)))
	}
	mux.Handle("GET /assets/{file}", WithPolicy(AssetPolicy, http.HandlerFunc(p.serveAsset)))
	return mux
}

// Paths are the patterns of the paths that [New] serves.
var Paths = []string{"/{$}", "/explore", "/explore/", "/assets/", "/favicon.ico"}

// Documents returns the GraphQL documents that Explore sends, none if assets were not built.
func Documents(assets fs.FS) ([]string, error) {
	file := findAsset(assets, "documents-*.json")
	if file == "" {
		return nil, nil
	}
	compressed, err := fs.ReadFile(assets, "assets/built/"+path.Base(file)+gzipped)
	if err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	byHash := map[string]string{}
	err = json.NewDecoder(text).Decode(&byHash)
	return slices.Collect(maps.Values(byHash)), err
}

// findAsset returns the relative URL of the only built file that matches pattern, or "".
func findAsset(assets fs.FS, pattern string) string {
	// Glob fails only on malformed patterns, and these are constants.
	names, _ := fs.Glob(assets, "assets/built/"+pattern+gzipped)
	if len(names) != 1 {
		return ""
	}
	return "assets/" + strings.TrimSuffix(path.Base(names[0]), gzipped)
}

// gzipped is the extension of the built files. They are embedded compressed, which makes the
// binary smaller, each also by brotli as .br.
const gzipped = ".gz"

type page struct {
	compressors *negotiate.Compressors
	log         *slog.Logger
	template    *template.Template
	assets      fs.FS
	licences    string
}

// view is one of the views of the page, with the URLs of its files relative to the root.
type view struct{ Name, Script, Style string }

// graphiqlData is the data that the script of GraphiQL reads from the document.
type graphiqlData struct {
	Endpoint string `json:"endpoint"`
	MaxCost  int    `json:"maxCost"`
	Tabs     []Tab  `json:"tabs"`
}

// icon is the page's icon as SVG.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">` +
	`<path d="M9 1a9 9 0 0 0 0 18z" fill="#0e9f73"/><path d="M11 1a9 9 0 0 1 0 18z" fill="#e2612c"/></svg>`

// iconURL contains the icon, because the policies allow images only as data.
var iconURL = template.URL("data:image/svg+xml," + url.PathEscape(icon)) //nolint:gosec // It is a constant.

// documentTemplate contains the data as a JSON block. The policy allows the block because it
// is never executed, and html/template escapes "<" in it.
const documentTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mintburn · {{.View.Name}}</title>
<link rel="icon" href="{{.Icon}}">
<link rel="stylesheet" href="{{.Base}}{{.View.Style}}">
{{with .Licences}}<link rel="license" href="{{$.Base}}{{.}}">
{{end -}}
<script type="application/json" id="page-data">{{.Data}}</script>
<script type="module" src="{{.Base}}{{.View.Script}}"></script>
</head>
<body>
<a class="page-skip" href="#view">Skip to the content</a>
<header class="page-header">
<a class="page-name" href="{{.Base}}explore"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path class="page-mint" d="M9 1a9 9 0 0 0 0 18z"/><path class="page-burn" d="M11 1a9 9 0 0 1 0 18z"/></svg>Mintburn</a>
<nav aria-label="Views">
<a href="{{.Base}}explore"{{if eq .View.Name "Explore"}} aria-current="page"{{end}}>Explore</a>
<a href="{{.Base}}"{{if eq .View.Name "GraphiQL"}} aria-current="page"{{end}}>GraphiQL</a>
</nav>
</header>
<main id="view" tabindex="-1"><p class="page-waiting">Loading {{.View.Name}}…</p></main>
<noscript>This page needs JavaScript. The API itself is at <code>{{.Data.Endpoint}}</code>.</noscript>
</body>
</html>
`

// graphiql serves GraphiQL's document.
func (p *page) graphiql(v view, c Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tabs, err := c.Tabs(r.Context())
		if err != nil {
			p.fail(w, r, v, fmt.Errorf("reading the example tabs: %w", err))
			return
		}
		p.document(w, r, http.StatusOK, "./", v, graphiqlData{c.endpoint(), c.MaxCost, tabs})
	})
}

// document serves the document of a view with its data. base is the relative URL of the root.
func (p *page) document(w http.ResponseWriter, r *http.Request, status int, base string, v view, data any) {
	var document bytes.Buffer
	if err := p.template.Execute(&document, map[string]any{"View": v, "Base": base, "Icon": iconURL, "Licences": p.licences, "Data": data}); err != nil {
		p.fail(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Vary", "Accept-Encoding")
	text := document.Bytes()
	if compressed, coding := p.compressors.Compress(r.Header, text); coding != "" {
		w.Header().Set("Content-Encoding", coding)
		text = compressed
	}
	w.WriteHeader(status)
	// An error means that the client is gone.
	_, _ = w.Write(text)
}

// fail logs an error, which the visitor does not see.
func (p *page) fail(w http.ResponseWriter, r *http.Request, v view, err error) {
	p.log.ErrorContext(r.Context(), "serving the page", "view", v.Name, "error", err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}

// serveIcon serves the icon to browsers that show something else than the page.
func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	// An error means that the client is gone.
	_, _ = io.WriteString(w, icon)
}

// serveAsset serves a file whose content never changes under its name.
func (p *page) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	coding := negotiate.ChooseCoding(r.Header, "br", "gzip")
	extension := gzipped
	if coding == "br" {
		extension = ".br"
	}
	compressed, err := fs.ReadFile(p.assets, "assets/built/"+name+extension)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	// Write errors mean that the client is gone, and embedded files are valid.
	if coding != "" {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Length", strconv.Itoa(len(compressed)))
		_, _ = w.Write(compressed)
	} else if text, err := gzip.NewReader(bytes.NewReader(compressed)); err == nil {
		_, _ = io.Copy(w, text)
	}
}
