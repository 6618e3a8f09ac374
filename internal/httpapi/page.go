package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql/playground"
	"github.com/klauspost/compress/gzip"
)

// pageAssets holds README.md always, and built/ once `make assets` has run.
//
//go:embed assets
var pageAssets embed.FS

// pagePolicy lets the page load from this server alone. Styles need
// 'unsafe-inline' because the Monaco editor writes style elements and attributes;
// its icons and GraphiQL's fonts are data: addresses.
const pagePolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// assetPolicy is the policy of the editor's workers, which take it from their own
// file and need no network.
const assetPolicy = "default-src 'none'"

// newPage returns the handler of GET / and GET /assets/…: GraphiQL, from files inside
// the binary. It sends operations to endpoint, a path on the same server, and opens
// with the tabs that tabs returns at each visit. If tabs fails, the visitor gets
// status 500, and log the error. A binary built without `make assets` serves
// gqlgen's page instead, which loads GraphiQL from a CDN and has no ready tabs.
//
// docs/api.md.
func newPage(assets fs.FS, endpoint string, tabs func(context.Context) ([]Tab, error), log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	p := playgroundPage{
		compressors: newCompressors(),
		compressed:  compressAssets(assets),
		endpoint:    endpoint,
		tabs:        tabs,
		log:         log,
		template:    template.Must(template.New("page").Parse(documentTemplate)),
		assets:      assets,
		script:      findAsset(assets, "assets/built/page-*.js"),
		style:       findAsset(assets, "assets/built/page-*.css"),
		licences:    findAsset(assets, "assets/built/licences-*.txt"),
	}
	if p.script == "" || p.style == "" {
		mux.Handle("GET /{$}", withPolicy("frame-ancestors 'none'", playground.Handler("Mintburn", endpoint)))
		return mux
	}
	mux.Handle("GET /{$}", withPolicy(pagePolicy, http.HandlerFunc(p.serveDocument)))
	mux.Handle("GET /assets/{file}", withPolicy(assetPolicy, http.HandlerFunc(p.serveAsset)))
	return mux
}

// findAsset returns the address of the only matching file, or "".
func findAsset(assets fs.FS, pattern string) string {
	// The only error of Glob is a malformed pattern, and these are constants.
	names, _ := fs.Glob(assets, pattern)
	if len(names) != 1 {
		return ""
	}
	return "/assets/" + path.Base(names[0])
}

func withPolicy(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

type playgroundPage struct {
	compressors *compressors
	// compressed has each asset compressed with gzip, by its path.
	compressed              map[string]func() []byte
	log                     *slog.Logger
	endpoint                string
	tabs                    func(context.Context) ([]Tab, error)
	template                *template.Template
	assets                  fs.FS
	script, style, licences string
}

// pageData is what the page's script reads from the document.
type pageData struct {
	Endpoint string `json:"endpoint"`
	Tabs     []Tab  `json:"tabs"`
}

// documentTemplate has the data as a JSON block. The policy allows it because it is
// never executed; html/template escapes "<" in it.
const documentTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mintburn</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{{.Style}}">
{{with .Licences}}<link rel="license" href="{{.}}">
{{end -}}
<script type="application/json" id="page-data">{{.Data}}</script>
<script type="module" src="{{.Script}}"></script>
</head>
<body>
<div id="graphiql"><p class="page-waiting">Loading GraphiQL…</p></div>
<noscript>This page needs JavaScript. The API itself is at <code>{{.Data.Endpoint}}</code>.</noscript>
</body>
</html>
`

func (p playgroundPage) serveDocument(w http.ResponseWriter, r *http.Request) {
	document, err := p.document(r.Context())
	if err != nil {
		p.log.ErrorContext(r.Context(), "serving the page", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Vary", "Accept-Encoding")
	if compressed, coding := p.compressors.compress(r.Header, document); coding != "" {
		w.Header().Set("Content-Encoding", coding)
		document = compressed
	}
	// A client that has gone needs no error.
	_, _ = w.Write(document)
}

func (p playgroundPage) document(ctx context.Context) ([]byte, error) {
	tabs, err := p.tabs(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the ready tabs: %w", err)
	}
	var document bytes.Buffer
	err = p.template.Execute(&document, map[string]any{
		"Script": p.script, "Style": p.style, "Licences": p.licences,
		"Data": pageData{Endpoint: p.endpoint, Tabs: tabs},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return document.Bytes(), nil
}

// serveAsset serves a file that never changes under its name.
func (p playgroundPage) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := "assets/built/" + r.PathValue("file")
	if info, err := fs.Stat(p.assets, name); err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	compressed, ok := p.compressed[name]
	if !ok || chooseCoding(r.Header, "gzip") == "" {
		http.ServeFileFS(w, r, p.assets, name)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(len(compressed())))
	// A client that has gone needs no error.
	_, _ = w.Write(compressed())
}

// compressAssets returns the assets compressed, each when it is first asked for.
func compressAssets(assets fs.FS) map[string]func() []byte {
	compressed := map[string]func() []byte{}
	// The only error of Glob is a malformed pattern, and this is a constant.
	names, _ := fs.Glob(assets, "assets/built/*.*")
	for _, name := range names {
		compressed[name] = sync.OnceValue(func() []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			// The binary holds what it embeds, and a buffer takes everything.
			text, _ := fs.ReadFile(assets, name)
			_, _ = w.Write(text)
			_ = w.Close()
			return b.Bytes()
		})
	}
	return compressed
}
