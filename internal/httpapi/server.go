package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	stdlog "log"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/httpapi/watch"
)

// Config configures a server.
type Config struct {
	execute.Config
	// Stopping, if set, ends when the server stops: subscriptions then end at once.
	Stopping context.Context
	// LastChange returns the mark of the log of changes. It is called while requests wait for
	// changes.
	LastChange func(ctx context.Context) (watch.Mark, error)
	// Ready returns why the server should get no requests, or nil. Clients see the message of
	// an [apierror.Error], and of no other error.
	Ready func(ctx context.Context) error
	observe.Options
	// Examples returns values for the page's example tabs.
	Examples func(context.Context) (page.Examples, error)
	// Gateways are where the page loads images of ipfs: and ar: addresses from.
	Gateways page.Gateways
	// Files are the files of the repository that /docs shows.
	Files fs.FS
	// ExplorerURL is the block explorer that the page links to, or "".
	ExplorerURL string
	// Limits bound each request.
	Limits Limits
	// Introspection lets clients query the schema. Without it, errors do not suggest names of
	// the schema either.
	Introspection bool
	// TrustedDocuments is a folder or a manifest of the only documents that may run; empty
	// allows every document.
	TrustedDocuments string
	// Origins are the origins whose pages may read answers, such as http://HOST:PORT, or *.
	Origins []string
	// TrustedProxies are the addresses and prefixes of the proxies whose X-Forwarded-For or
	// Forwarded header identifies the client; "unix" trusts the peers of a Unix socket.
	TrustedProxies []string
	// AllowedHosts are the accepted hosts of requests, names or addresses without ports; empty
	// accepts all. Health checks accept any host.
	AllowedHosts []string
	// Access restricts who may use the API and how much; nil is no restriction.
	Access *admit.Access
}

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
		Endpoint: "/graphql", MaxCost: c.Limits.Cost, Gateways: c.Gateways, ExplorerURL: c.ExplorerURL, KeyRequired: required, Log: c.Log, Files: c.Files, OpenAPI: described,
		Tabs: func(ctx context.Context) ([]page.Tab, error) {
			if required {
				return page.Tabs(page.Examples{}), nil
			}
			examples, err := c.Examples(ctx)
			return page.Tabs(examples), err
		},
	})
	// The mux answers 405 with Allow by itself, because no pattern matches all paths.
	mux := http.NewServeMux()
	for _, one := range graph.routed(rest{graph}, views, openAPI) {
		mux.Handle(one.pattern, observe.As(one.group, graph.within(one)))
	}
	next, err := graph.allowHosts(graph.guard(mux))
	return handler{graph.Callers.Identify(graph.Observer.Handler(graph.origins.allowing(graph.held(drained(next))))), graph.streams}, err
}

// ready answers whether the server should get requests.
func (e *endpoint) ready(w http.ResponseWriter, r *http.Request) {
	err := e.Ready(r.Context())
	if err == nil {
		writeState(w, http.StatusOK, "ready")
		return
	}
	e.Log.WarnContext(r.Context(), "not ready", "error", err)
	reason := "see the log"
	if known := new(apierror.Error); errors.As(err, &known) {
		reason = known.Message
	}
	writeState(w, http.StatusServiceUnavailable, "not ready: "+reason)
}

// handler is the handler of [New], which knows the work that [http.Server] does not wait for.
type handler struct {
	http.Handler
	*admit.Streams
}

// keyed serves next only to clients with a key, if keys are required.
func (e *endpoint) keyed(next http.Handler) http.Handler {
	if e.Callers == nil || !e.Callers.Required {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failed := e.Callers.Admit(r.Context()); failed != nil {
			e.sender.Fail(w, r, failed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Unavailable returns the handler for the time before the database is ready: the process is
// alive, and every other request fails with UNAVAILABLE. It fails if the origins, those of [Config], are
// invalid.
func Unavailable(list []string) (http.Handler, error) {
	allowed, err := newOrigins(list)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", alive)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		writeState(w, http.StatusServiceUnavailable, "not ready: the database is not there yet")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if answersPreflight(w, r) {
			return
		}
		failed, b := failure.Unavailable(), &admit.Buffer{}
		media := negotiate.JSON
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			new(routes.Routes).WriteError(b, failed)
		} else {
			// If the client accepts no supported media type, the error is sent as JSON.
			media, _ = negotiate.ChooseMediaType(r.Header)
			// JSON can encode every value of the error.
			_ = execute.Outcome{Failed: failed}.AppendTo(b)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", string(media)+"; charset=utf-8")
		failed.SetHeader(w.Header())
		w.WriteHeader(failed.Status)
		_, _ = w.Write(b.Bytes())
	})
	return allowed.allowing(drained(mux)), err
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// writeState reports as a line of text whether the server is ready for requests.
func writeState(w http.ResponseWriter, status int, state string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(state + "\n"))
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
