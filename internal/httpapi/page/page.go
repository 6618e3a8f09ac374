package page

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql/playground"
	"github.com/klauspost/compress/gzip"

	"mintburn/internal/httpapi/docs"
	"mintburn/internal/httpapi/layout"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/openapi"
)

// Assets are the embedded files of the page, for [New]: those of Explore, and those of GraphiQL after
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
	// Tabs returns the tabs that GraphiQL opens with, at each visit, or none if the request needs a
	// key, for which GraphiQL then asks. If it fails, the visitor gets status 500 and the error is
	// logged.
	Tabs func(context.Context) ([]Tab, error)
	// Share returns what a page of Explore is about, or nil if that cannot be said now.
	Share func(context.Context, Shown) *Share
	// Gateways are where Explore loads images of ipfs: and ar: addresses from.
	Gateways Gateways
	// ExplorerURL returns the block explorer that Explore links to, without a final slash, or "".
	ExplorerURL func(context.Context) string
	// Chain returns the chain of a request, or nil if the chains have no names.
	Chain func(*http.Request) *Chain
	// KeyRequired reports that the API needs a key, for which Explore then asks.
	KeyRequired bool
	// Files are the files of the repository that /docs shows, and OpenAPI describes the REST routes.
	Files   fs.FS
	OpenAPI *openapi.Document
	// Log receives the errors that visitors do not see.
	Log *slog.Logger
}

// Chain is the chain whose data the page shows, of several.
type Chain struct {
	// Name is "" at the root of a server without a default chain.
	Name string `json:"name"`
	// Names are those of all chains, and Up is the relative URL of the root from that of the chain.
	Names []string `json:"names"`
	Up    string   `json:"up"`
}

// links returns links to a path of all chains, or none for nil. base is the relative URL of the chain's.
func (c *Chain) links(base, at string) (list []layout.ChainLink) {
	if c != nil {
		for _, name := range c.Names {
			list = append(list, layout.ChainLink{Name: name, URL: base + c.Up + name + "/" + at, Current: name == c.Name})
		}
	}
	return list
}

// endpoint returns the path of the API relative to the root.
func (c Config) endpoint() string { return strings.TrimPrefix(c.Endpoint, "/") }

// New returns the handler of [Paths]: GraphiQL and Explore, from assets, which are [Assets] outside
// tests, and the docs. A binary built without `make assets` serves gqlgen's page in place of GraphiQL,
// which loads it from a CDN and has no example tabs.
//
// All URLs in the documents are relative, so that they work below a path of a proxy.
//
// docs/explore.md.
func New(assets fs.FS, c Config) http.Handler {
	mux := http.NewServeMux()
	p := &page{
		sender:   layout.NewSender(),
		log:      c.Log,
		template: layout.Parse(documentTemplate),
		assets:   assets,
	}
	documents := docs.New(docs.Config{Files: c.Files, OpenAPI: c.OpenAPI, Log: c.Log})
	for _, pattern := range docs.Paths {
		mux.Handle("GET "+pattern, documents)
	}
	mux.Handle("GET /favicon.ico", layout.WithPolicy(layout.AssetPolicy, http.HandlerFunc(serveIcon)))
	graphiql := layout.WithPolicy(pagePolicy, p.graphiql(viewIn(assets, "Playground", graphiqlFolder, "page"), c))
	if !HasGraphiQL(assets) {
		graphiql = layout.WithPolicy("frame-ancestors 'none'", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			endpoint := c.Endpoint
			if chain := c.Chain(r); chain != nil {
				endpoint = path.Join("/", chain.Name, endpoint)
			}
			playground.Handler("Mintburn", endpoint).ServeHTTP(w, r)
		}))
	}
	mux.Handle("GET /{$}", p.listing(c, graphiql))
	explore := viewIn(assets, "Explore", exploreFolder, "explore")
	for _, pattern := range []string{"GET /explore", "GET /explore/"} {
		mux.Handle(pattern, c.Gateways.withPolicy(p.explore(explore, c)))
	}
	mux.Handle("GET /assets/{file}", layout.WithPolicy(layout.AssetPolicy, http.HandlerFunc(p.serveAsset)))
	return mux
}

// Paths are the patterns of the paths that [New] serves.
var Paths = slices.Concat(docs.Paths, []string{"/{$}", "/explore", "/explore/", "/assets/", "/favicon.ico"})

// The folders of [Assets]: that of GraphiQL, which is empty until it is built, and that of Explore.
const graphiqlFolder, exploreFolder = "assets/built/", "assets/explore/"

// HasGraphiQL reports whether assets contain GraphiQL.
func HasGraphiQL(assets fs.FS) bool { return findAsset(assets, graphiqlFolder, "page-*.js") != "" }

// Documents returns the GraphQL documents that Explore sends.
func Documents(assets fs.FS) ([]string, error) {
	compressed, err := fs.ReadFile(assets, exploreFolder+path.Base(findAsset(assets, exploreFolder, "documents-*.json"))+gzipped)
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

// findAsset returns the relative URL of the only file in a folder that matches pattern, or "".
func findAsset(assets fs.FS, folder, pattern string) string {
	// Glob fails only on malformed patterns, and these are constants.
	names, _ := fs.Glob(assets, folder+pattern+gzipped)
	if len(names) != 1 {
		return ""
	}
	return "assets/" + strings.TrimSuffix(path.Base(names[0]), gzipped)
}

// gzipped is the extension of the built files. They are embedded compressed, which makes the
// binary smaller, each also by brotli as .br.
const gzipped = ".gz"

type page struct {
	sender   layout.Sender
	log      *slog.Logger
	template *template.Template
	assets   fs.FS
	// unpacked contains the files that were sent uncompressed, by their names.
	unpacked sync.Map
}

// view is one of the views of the page, with the URLs of its files relative to the root.
type view struct{ Name, Script, Style, Licences string }

// viewIn returns the view whose script and style sheet are in folder and have this name.
func viewIn(assets fs.FS, title, folder, name string) view {
	find := func(pattern string) string { return findAsset(assets, folder, pattern) }
	return view{title, find(name + "-*.js"), find(name + "-*.css"), find("licences-*.txt")}
}

// graphiqlData is the data that the script of GraphiQL reads from the document.
type graphiqlData struct {
	Endpoint string `json:"endpoint"`
	Chain    *Chain `json:"chain,omitempty"`
	MaxCost  int    `json:"maxCost"`
	Tabs     []Tab  `json:"tabs"`
}

// documentTemplate contains the data as a JSON block. The policy allows the block because it
// is never executed, and html/template escapes "<" in it.
const documentTemplate = `{{template "head" .}}{{with .Share}}<meta name="description" content="{{.Description}}">
<meta property="og:title" content="{{.Title}}">
<meta property="og:description" content="{{.Description}}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Mintburn">
{{end}}<link rel="stylesheet" href="{{.Base}}{{.Files.Style}}">
{{with .Files.Licences}}<link rel="license" href="{{$.Base}}{{.}}">
{{end -}}
<script type="application/json" id="page-data">{{.Data}}</script>
<script type="module" src="{{.Base}}{{.Files.Script}}"></script>
</head>
<body>
{{template "header" .}}<main id="view" tabindex="-1"><p class="page-waiting">Loading {{.View}}…</p></main>
<noscript>This page needs JavaScript. The API itself is at <code>{{.Data.Endpoint}}</code>.</noscript>
</body>
</html>
`

// graphiql serves GraphiQL's document.
func (p *page) graphiql(v view, c Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chain := c.Chain(r)
		tabs, err := c.Tabs(r.Context())
		if err != nil {
			p.fail(w, r, v, fmt.Errorf("reading the example tabs: %w", err))
			return
		}
		p.document(w, r, http.StatusOK, "./", v, nil, chain.links("./", ""), graphiqlData{c.endpoint(), chain, c.MaxCost, tabs})
	})
}

// listTemplate links to the pages of all chains.
var listTemplate = layout.Parse(`{{template "head" .}}<link rel="stylesheet" href="{{.Files.Style}}">
</head>
<body>
<main><h1>Chains</h1>
<ul>
{{range .Names}}<li>{{.}}: <a href="{{.}}/explore">Explore</a>, <a href="{{.}}/">Playground</a></li>
{{end}}</ul>
<p><a href="docs/">Documentation</a></p>
</main>
</body>
</html>
`)

// listing serves the names of the chains, with links, where no chain has its page, which next serves.
func (p *page) listing(c Config, next http.Handler) http.Handler {
	v := viewIn(p.assets, "Chains", exploreFolder, "explore")
	list := layout.WithPolicy("default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src data:", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var document bytes.Buffer
		if err := listTemplate.Execute(&document, struct {
			layout.Header
			Files view
			Names []string
		}{layout.Header{Title: v.Name}, v, c.Chain(r).Names}); err != nil {
			p.fail(w, r, v, err)
			return
		}
		p.sender.Send(w, r, http.StatusOK, "text/html; charset=utf-8", document.Bytes())
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if chain := c.Chain(r); chain != nil && chain.Name == "" {
			list.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// document serves the document of a view with its data and links to other chains. base is the relative URL of
// the chain. share, if not nil, says what the document is about.
func (p *page) document(w http.ResponseWriter, r *http.Request, status int, base string, v view, share *Share, chains []layout.ChainLink, data any) {
	var document bytes.Buffer
	header := layout.Header{Title: v.Name, View: v.Name, Base: base, Main: "view", Chains: chains}
	if share != nil {
		header.Title = share.Title
	}
	if err := p.template.Execute(&document, struct {
		layout.Header
		Files view
		Share *Share
		Data  any
	}{header, v, share, data}); err != nil {
		p.fail(w, r, v, err)
		return
	}
	p.sender.Send(w, r, status, "text/html; charset=utf-8", document.Bytes())
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
	_, _ = io.WriteString(w, layout.Icon)
}

// serveAsset serves a file whose content never changes under its name.
func (p *page) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	coding := negotiate.ChooseCoding(r.Header, "br", "gzip")
	extension := gzipped
	if coding == "br" {
		extension = ".br"
	}
	compressed, err := fs.ReadFile(p.assets, exploreFolder+name+extension)
	if errors.Is(err, fs.ErrNotExist) {
		compressed, err = fs.ReadFile(p.assets, graphiqlFolder+name+extension)
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Add("Vary", "Accept-Encoding")
	// Write errors mean that the client is gone, and embedded files are valid.
	if coding != "" {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Length", strconv.Itoa(len(compressed)))
		_, _ = w.Write(compressed)
		return
	}
	text, known := p.unpacked.Load(name)
	if !known {
		var b bytes.Buffer
		if unpacked, err := gzip.NewReader(bytes.NewReader(compressed)); err == nil {
			_, _ = b.ReadFrom(unpacked)
		}
		text, _ = p.unpacked.LoadOrStore(name, b.Bytes())
	}
	_, _ = w.Write(text.([]byte))
}
