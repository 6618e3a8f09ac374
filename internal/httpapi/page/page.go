package page

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
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

// New returns the handler of GET /, GET /explore and GET /assets/…: GraphiQL and Explore,
// from assets, which are [Assets] outside tests. Both send operations to endpoint, a path on the
// same server. GraphiQL shows costs beside maxCost, and opens with the tabs that tabs returns at each visit; if tabs fails, the
// visitor gets status 500 and the error is logged. Explore loads images from the gateways. A
// binary built without `make assets` serves gqlgen's page instead, which loads GraphiQL from a
// CDN and has neither example tabs nor Explore.
//
// All URLs in the documents are relative, so that they work below a path of a proxy. Both views
// are in the root, and so is what they link to.
//
// docs/explore.md.
func New(assets fs.FS, endpoint string, maxCost int, g Gateways, tabs func(context.Context) ([]Tab, error), log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	p := &page{
		compressors: negotiate.NewCompressors(),
		log:         log,
		template:    template.Must(template.New("page").Parse(documentTemplate)),
		assets:      assets,
		licences:    findAsset(assets, "licences-*.txt"),
	}
	graphiql := view{Name: "GraphiQL", Path: "./", Script: findAsset(assets, "page-*.js"), Style: findAsset(assets, "page-*.css")}
	explore := view{Name: "Explore", Path: "explore", Script: findAsset(assets, "explore-*.js"), Style: findAsset(assets, "explore-*.css")}
	if graphiql.Script == "" || graphiql.Style == "" || explore.Script == "" || explore.Style == "" {
		mux.Handle("GET /{$}", WithPolicy("frame-ancestors 'none'", playground.Handler("Mintburn", endpoint)))
		return mux
	}
	endpoint = strings.TrimPrefix(endpoint, "/")
	mux.Handle("GET /{$}", WithPolicy(pagePolicy, p.document(graphiql, func(ctx context.Context) (any, error) {
		ready, err := tabs(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the example tabs: %w", err)
		}
		return graphiqlData{endpoint, maxCost, ready}, nil
	})))
	mux.Handle("GET /explore", g.withPolicy(p.document(explore, func(context.Context) (any, error) {
		return exploreData{Endpoint: endpoint, Gateways: g}, nil
	})))
	mux.Handle("GET /assets/{file}", WithPolicy(AssetPolicy, http.HandlerFunc(p.serveAsset)))
	return mux
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

// view is one of the views of the page, with the relative URLs of it and its files.
type view struct{ Name, Path, Script, Style string }

// graphiqlData and exploreData are the data that the scripts of GraphiQL and Explore read from
// the document.
type graphiqlData struct {
	Endpoint string `json:"endpoint"`
	MaxCost  int    `json:"maxCost"`
	Tabs     []Tab  `json:"tabs"`
}

type exploreData struct {
	Endpoint string   `json:"endpoint"`
	Gateways Gateways `json:"gateways"`
}

// documentTemplate contains the data as a JSON block. The policy allows the block because it
// is never executed, and html/template escapes "<" in it.
const documentTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mintburn · {{.View.Name}}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Cpath d='M9 1a9 9 0 0 0 0 18z' fill='%230e9f73'/%3E%3Cpath d='M11 1a9 9 0 0 1 0 18z' fill='%23e2612c'/%3E%3C/svg%3E">
<link rel="stylesheet" href="{{.View.Style}}">
{{with .Licences}}<link rel="license" href="{{.}}">
{{end -}}
<script type="application/json" id="page-data">{{.Data}}</script>
<script type="module" src="{{.View.Script}}"></script>
</head>
<body>
<a class="page-skip" href="#view">Skip to the content</a>
<header class="page-header">
<a class="page-name" href="explore"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path class="page-mint" d="M9 1a9 9 0 0 0 0 18z"/><path class="page-burn" d="M11 1a9 9 0 0 1 0 18z"/></svg>Mintburn</a>
<nav aria-label="Views">
<a href="explore"{{if eq .View.Path "explore"}} aria-current="page"{{end}}>Explore</a>
<a href="./"{{if eq .View.Path "./"}} aria-current="page"{{end}}>GraphiQL</a>
</nav>
</header>
<main id="view" tabindex="-1"><p class="page-waiting">Loading {{.View.Name}}…</p></main>
<noscript>This page needs JavaScript. The API itself is at <code>{{.Data.Endpoint}}</code>.</noscript>
</body>
</html>
`

// document serves a view with the data that read returns.
func (p *page) document(v view, read func(context.Context) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var document bytes.Buffer
		data, err := read(r.Context())
		if err == nil {
			err = p.template.Execute(&document, map[string]any{"View": v, "Licences": p.licences, "Data": data})
		}
		if err != nil {
			p.log.ErrorContext(r.Context(), "serving the page", "view", v.Name, "error", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
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
		// An error means that the client is gone.
		_, _ = w.Write(text)
	})
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
