package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
)

// Config says what the server serves.
type Config struct {
	// Schema answers GraphQL operations.
	Schema graphql.ExecutableSchema
	// Extensions run with each operation.
	Extensions []graphql.HandlerExtension
	// ErrorPresenter shows errors to callers; Recover makes one of a panic.
	ErrorPresenter graphql.ErrorPresenterFunc
	Recover        graphql.RecoverFunc
	// Examples are asked for values for the page's ready tabs.
	Examples func(context.Context) (Examples, error)
	// Log gets what callers are not shown.
	Log *slog.Logger
}

// Bounds on one request.
const (
	// maxBody is the size in bytes of a request's body.
	maxBody = 1 << 20
	// maxTokens is the number of lexical tokens of a document.
	maxTokens = 15_000
	// cachedDocuments is how many parsed documents are kept.
	cachedDocuments = 1_000
)

// New returns the handler of all routes.
func New(c Config) http.Handler {
	graph := handler.New(c.Schema)
	graph.AddTransport(transport.GET{})
	graph.AddTransport(transport.POST{})
	graph.SetParserTokenLimit(maxTokens)
	graph.SetQueryCache(lru.New[*ast.QueryDocument](cachedDocuments))
	graph.SetErrorPresenter(c.ErrorPresenter)
	graph.SetRecoverFunc(c.Recover)
	graph.SetValidationRulesFn(validationRules)
	graph.Use(extension.Introspection{})
	for _, e := range c.Extensions {
		graph.Use(e)
	}
	page := Page("/graphql", func(ctx context.Context) ([]Tab, error) {
		examples, err := c.Examples(ctx)
		return Tabs(examples), err
	}, c.Log)
	mux := http.NewServeMux()
	mux.Handle("/graphql", http.MaxBytesHandler(graph, maxBody))
	mux.Handle("/", page)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
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
