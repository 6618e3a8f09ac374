package httpapi

import (
	"context"
	_ "embed" // for openAPI
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/nft"
)

// Config configures a server.
type Config struct {
	// Schema answers GraphQL operations.
	Schema *fastql.Schema
	// Extensions run around each operation or response; those around single
	// fields do not.
	Extensions []graphql.HandlerExtension
	// ErrorPresenter shows errors to callers; Recover makes one of a panic.
	ErrorPresenter graphql.ErrorPresenterFunc
	Recover        graphql.RecoverFunc
	// Final is called within an operation without errors. It returns "" for an
	// answer that may change, and else the generation of the data: while Generation
	// returns the same one, the answer is right. verified says that no repair will
	// change it either; advances, that it is right only for now, and may have an ETag.
	Final      func(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (generation string, verified, advances bool, err error)
	Generation func(ctx context.Context) (string, error)
	// AnswerCache is the memory for cached final answers, in bytes; 0 is none.
	// Without it, Generation is not called.
	AnswerCache int
	// Ready returns why no requests should come here, or nil. Clients see the message
	// of an [nft.Error], and of no other error.
	Ready func(ctx context.Context) error
	// Collector has metrics of the data, or is nil.
	Collector prometheus.Collector
	// Registry gets the metrics, for [Metrics] to serve elsewhere. If it is nil, the
	// handler serves them at /metrics.
	Registry *prometheus.Registry
	// Examples returns values for the page's ready tabs.
	Examples func(context.Context) (Examples, error)
	// Gateways are where the page finds images of ipfs: and ar: addresses.
	Gateways Gateways
	// Log gets the errors that clients do not see, and the lines of AccessLog.
	Log       *slog.Logger
	AccessLog AccessLog
	// Tracer makes spans of requests and operations; nil makes none.
	Tracer Tracer
	// Limits bound each request.
	Limits Limits
	// Introspection lets clients ask for the schema. Without it, errors do not
	// suggest its names either.
	Introspection bool
	// TrustedDocuments is a folder or a manifest of the documents that may run, or
	// empty if every document may.
	TrustedDocuments string
	// Origins are the origins whose pages may read answers, such as
	// http://HOST:PORT, or *.
	Origins []string
	// TrustedProxies are the addresses and prefixes of the proxies whose
	// X-Forwarded-For or Forwarded header names the client; "unix" are those at the
	// other end of a Unix socket.
	TrustedProxies []string
	// AllowedHosts are the names and addresses, without ports, for which requests are
	// answered; of all if there are none. Health is answered for any.
	AllowedHosts []string
	// Access says who may use the API and how much; nil is everybody, any amount.
	Access *Access
}

// openAPI describes the REST routes, by OpenAPI 3.1.
//
//go:embed openapi.json
var openAPI []byte

// New returns the handler of all routes. It fails if it cannot read the origins,
// the proxies or the trusted documents.
func New(c Config) (http.Handler, error) {
	graph, err := newEndpoint(c)
	if err != nil {
		return nil, err
	}
	page := newPage(pageAssets, "/graphql", c.Gateways, func(ctx context.Context) ([]Tab, error) {
		if c.Access != nil && c.Access.Required {
			return Tabs(Examples{}), nil
		}
		examples, err := c.Examples(ctx)
		return Tabs(examples), err
	}, c.Log)
	routes, err := newREST(graph)
	if err != nil {
		return nil, err
	}
	// Without a pattern for all paths, the mux answers 405 with Allow by itself.
	mux := http.NewServeMux()
	mux.Handle("/graphql", as(routeGraphQL, graph))
	for _, pattern := range []string{"/v1", "/v1/"} {
		mux.Handle(pattern, as(routeREST, routes))
	}
	mux.HandleFunc("GET /openapi.json", graph.serveText("application/json", openAPI))
	if c.Introspection {
		mux.HandleFunc("GET /schema.graphql", graph.serveText("text/plain", schemaText(c.Schema.Schema())))
	}
	for _, pattern := range []string{"/{$}", "/explore", "/assets/"} {
		mux.Handle(pattern, as(routePage, page))
	}
	if c.Registry == nil {
		mux.Handle("GET /metrics", as(routeProbe, graph.keyed(Metrics(graph.metrics.registry))))
	}
	mux.Handle("GET /readyz", as(routeProbe, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := c.Ready(r.Context())
		if err == nil {
			writeState(w, http.StatusOK, "ready")
			return
		}
		c.Log.WarnContext(r.Context(), "not ready", "error", err)
		reason := "see the log"
		if known := new(nft.Error); errors.As(err, &known) {
			reason = known.Message
		}
		writeState(w, http.StatusServiceUnavailable, "not ready: "+reason)
	})))
	mux.Handle("GET /healthz", as(routeProbe, http.HandlerFunc(alive)))
	handler, err := graph.allowHosts(graph.guard(mux))
	return graph.identify(graph.observe(handler)), err
}

// Unavailable returns a handler for the time before there is a database: the
// process is alive, and every other request is UNAVAILABLE.
func Unavailable() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", alive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		writeState(w, http.StatusServiceUnavailable, "not ready: the database is not there yet")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// A client may lose the answer if its connection is closed before the request
		// was read.
		_, _ = io.CopyN(io.Discard, r.Body, 256<<10)
		failed, b := unavailable(), &buffer{}
		media := legacyJSON
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			writeREST(b, failed)
		} else {
			// If the client accepts no answer, one of JSON says why.
			media, _ = negotiate(r.Header)
			// The error has no value that JSON cannot hold.
			_ = outcome{failed: failed}.appendTo(b)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", string(media)+"; charset=utf-8")
		failed.setHeader(w.Header())
		w.WriteHeader(failed.status)
		_, _ = w.Write(b.Bytes())
	})
	return mux
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// writeState writes whether requests may come here, as a line of text.
func writeState(w http.ResponseWriter, status int, state string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(state + "\n"))
}

// maxHeader bounds a request's line and headers, in bytes, and with them the
// documents that a GET can bring.
const maxHeader = 64 << 10

// NewServer returns a server of HTTP/1.1 and HTTP/2, with and without TLS. A request
// must arrive within read, and an answer leave within write.
func NewServer(handler http.Handler, read, write time.Duration, log *slog.Logger) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler: handler, Protocols: &protocols, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: min(read, 10*time.Second), ReadTimeout: read, WriteTimeout: write, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Serve calls serve until ctx ends, and then lets its requests finish, for at most
// ten seconds.
func Serve(ctx context.Context, server *http.Server, serve func() error) error {
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// ctx has ended; finishing needs a context of its own.
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := server.Shutdown(finish)
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
