package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	stdlog "log"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
)

// sharing is how long a page of Explore waits for what it is about.
const sharing = 50 * time.Millisecond

// New returns the handler of all routes. It fails if the origins, the proxies, the hosts or
// the trusted documents are invalid.
func New(c Config) (http.Handler, error) {
	graph, err := newEndpoint(c)
	if err != nil {
		return nil, err
	}
	described := graph.routes.OpenAPI(c.Schema.Schema())
	openAPI, err := json.MarshalIndent(described, "", "  ")
	if err != nil {
		return nil, err
	}
	required := c.Access != nil && c.Access.Required
	views := page.New(page.Assets, page.Config{
		Endpoint: "/graphql", MaxCost: c.Limits.Cost, Gateways: c.Gateways, KeyRequired: required, Log: c.Log, Files: c.Files, OpenAPI: described,
		Chain:       graph.chains.shown,
		ExplorerURL: func(ctx context.Context) string { return graph.chains.at(ctx).ExplorerURL },
		Tabs: func(ctx context.Context) ([]page.Tab, error) {
			if required && (admit.KeyName(ctx) == "" || graph.Callers.ForChain(ctx) != nil) {
				return nil, nil
			}
			examples, err := graph.chains.at(ctx).Examples(ctx)
			return page.Tabs(examples), err
		},
		Share: func(ctx context.Context, shown page.Shown) *page.Share {
			if required || graph.Callers != nil && graph.Callers.Admit(ctx) != nil {
				return nil
			}
			ctx, cancel := context.WithTimeout(ctx, sharing)
			defer cancel()
			share, err := graph.chains.at(ctx).Share(ctx, shown)
			if err != nil {
				c.Log.DebugContext(ctx, "reading what a page is about", "error", err)
				return nil
			}
			return share
		},
	})
	// The mux answers 405 with Allow by itself, because no pattern matches all paths.
	mux := http.NewServeMux()
	var patterns []string
	for _, one := range graph.routed(rest{graph}, views, openAPI) {
		patterns = append(patterns, one.pattern)
		mux.Handle(one.pattern, observe.As(one.group, graph.within(one)))
	}
	next, err := graph.allowHosts(graph.guard(graph.chains.placed(patterns, mux)))
	return handler{graph.chains.in(graph.Callers.Identify(graph.Observer.Handler(graph.origins.allowing(graph.held(drained(next)))))), graph.streams}, err
}

// guard rejects unclean paths, which the mux would redirect, and closes connections after
// chunked HTTP/1 requests.
func (e *endpoint) guard(next http.Handler) http.Handler {
	unclean := observe.As(observe.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.sender.Fail(w, r, failure.BadRequest(`the path has a segment that is empty, "." or "..": want one of the routes of /openapi.json`))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			// If the request also has a Content-Length, a proxy may split the bytes of this
			// connection into other requests. net/http has removed that header, so the
			// connection ends after every chunked request. RFC 9112, section 6.1.
			w.Header().Set("Connection", "close")
		}
		if answersPreflight(w, r) {
			return
		}
		if !isClean(r.URL.EscapedPath()) {
			// The mux would redirect to the clean path, which may be another route.
			unclean.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isClean reports whether ServeMux accepts a path without a redirect.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == "" || p == clean || clean != "/" && p == clean+"/"
}

// handler is the handler of [New], which knows the work that [http.Server] does not wait for.
type handler struct {
	http.Handler
	*admit.Streams
}

// maxHeader bounds a request's line and headers in bytes, and so the document of a GET.
const maxHeader = 64 << 10

// NewServer returns a server of [negotiate.Protocols]. A request must arrive within read, and its
// answer must be sent within write.
func NewServer(handler http.Handler, read, write time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, Protocols: negotiate.Protocols(), MaxHeaderBytes: maxHeader,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: http2Streams, MaxReadFrameSize: http2Frame, MaxReceiveBufferPerConnection: http2Window, MaxReceiveBufferPerStream: http2Window},
		ReadHeaderTimeout: min(read, 10*time.Second), ReadTimeout: read, WriteTimeout: write, IdleTimeout: 2 * time.Minute,
		ErrorLog: stdlog.New(serverLog{log}, "", 0),
	}
}

// serverLog logs the lines of [http.Server]. A failed handshake is the client's mistake.
type serverLog struct{ *slog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) {
		level = slog.LevelDebug
	}
	l.Log(context.Background(), level, strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Serve calls serve until ctx ends, then lets pending requests finish for at most ten seconds.
func Serve(ctx context.Context, server *http.Server, serve func() error) error {
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// ctx has ended, so shutting down needs its own context.
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := server.Shutdown(finish)
	if h, ok := server.Handler.(handler); ok {
		h.Wait(finish)
	}
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
