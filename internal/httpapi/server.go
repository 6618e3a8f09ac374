package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // for openAPI
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
)

// Config says what the server serves.
type Config struct {
	// Schema answers GraphQL operations.
	Schema graphql.ExecutableSchema
	// Scalars return why the value of a variable is not of a scalar or enum of
	// the schema, by name.
	Scalars map[string]func(ctx context.Context, v any) error
	// Extensions run around each operation or response; those around single
	// fields do not.
	Extensions []graphql.HandlerExtension
	// ErrorPresenter shows errors to callers; Recover makes one of a panic.
	ErrorPresenter graphql.ErrorPresenterFunc
	Recover        graphql.RecoverFunc
	// Bounded returns a context whose operation asks g while its answer grows.
	Bounded func(ctx context.Context, g Growth) context.Context
	// Final is called within an operation that went well. It returns "" for an
	// answer that may change, and else a name of the data's present state: while
	// Generation returns the same one, the answer is right. verified says that no
	// repair will change it either.
	Final      func(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (generation string, verified bool, err error)
	Generation func(ctx context.Context) (string, error)
	// AnswerCache is the memory for answers that Final tells of, in bytes; 0 is
	// none. Without it, Generation is not called.
	AnswerCache int
	// Ready returns why requests should not be sent here, or nil. Clients see the
	// message of an [nft.Error], and of no other error.
	Ready func(ctx context.Context) error
	// Collector has metrics of the data; it may be nil.
	Collector prometheus.Collector
	// Registry gets the metrics, for [Metrics] to serve elsewhere; if it is nil, the
	// handler serves them at /metrics.
	Registry *prometheus.Registry
	// Examples are asked for values for the page's ready tabs.
	Examples func(context.Context) (Examples, error)
	// Log gets what callers are not shown.
	Log *slog.Logger
	// Limits bound each request.
	Limits Limits
	// Introspection lets callers ask for the schema. Without it, errors do not
	// suggest names of it either.
	Introspection bool
	// TrustedDocuments is a folder or a manifest of the documents that may run,
	// or empty if every document may.
	TrustedDocuments string
	// Origins are those whose pages may ask: http://HOST:PORT and the like, or *.
	Origins []string
	// TrustedProxies are the addresses and prefixes of proxies whose word on the
	// client's address counts: X-Forwarded-For or Forwarded.
	TrustedProxies []string
}

// openAPI describes the REST routes, by OpenAPI 3.1.
//
//go:embed openapi.json
var openAPI []byte

// New returns the handler of all routes. It fails on origins, proxies or
// trusted documents that cannot be read.
func New(c Config) (http.Handler, error) {
	graph, err := newEndpoint(c)
	if err != nil {
		return nil, err
	}
	page := Page("/graphql", func(ctx context.Context) ([]Tab, error) {
		examples, err := c.Examples(ctx)
		return Tabs(examples), err
	}, c.Log)
	routes, err := newREST(graph)
	if err != nil {
		return nil, err
	}
	// Without a pattern for all paths, the mux answers 405 with Allow by itself.
	mux := http.NewServeMux()
	mux.Handle("/graphql", graph.metrics.of("graphql", graph))
	for _, pattern := range []string{"/v1", "/v1/"} {
		mux.Handle(pattern, graph.metrics.of("rest", routes))
	}
	mux.HandleFunc("GET /openapi.json", graph.serveOpenAPI)
	for _, pattern := range []string{"/{$}", "/assets/"} {
		mux.Handle(pattern, graph.metrics.of("page", page))
	}
	if c.Registry == nil {
		mux.Handle("GET /metrics", Metrics(graph.metrics.registry))
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := c.Ready(r.Context()); err != nil {
			c.Log.WarnContext(r.Context(), "not ready", "error", err)
			reason := "see the log"
			if known := new(nft.Error); errors.As(err, &known) {
				reason = known.Message
			}
			notReady(w, reason)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write([]byte("ready\n"))
	})
	mux.HandleFunc("GET /healthz", alive)
	return graph.guard(mux), nil
}

// serveOpenAPI serves the OpenAPI document.
func (e *endpoint) serveOpenAPI(w http.ResponseWriter, r *http.Request) {
	e.origins.allow(w.Header(), r.Header)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(openAPI)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(openAPI))
}

// maxHeader bounds a request's line and headers, in bytes, and with them the
// documents that a GET can bring.
const maxHeader = 64 << 10

// NewServer returns a server of HTTP/1.1 and of HTTP/2 without TLS, in which a
// request must have arrived within read and an answer have left within write.
func NewServer(handler http.Handler, read, write time.Duration, log *slog.Logger) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler: handler, Protocols: &protocols, MaxHeaderBytes: maxHeader,
		ReadHeaderTimeout: min(read, 10*time.Second), ReadTimeout: read, WriteTimeout: write, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// Serve answers requests until ctx ends, then lets those under way finish, for
// at most ten seconds.
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
