package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"

	"mintburn/graph"
	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// listening is the flags of commands that serve.
type listening struct {
	controlling
	Listen        string        `help:"Address of the server, or unix:PATH; ${default} unless given." default:"127.0.0.1:8080" placeholder:"ADDR"`
	MetricsListen string        `help:"Serve /metrics on this address instead of the one of --listen." placeholder:"ADDR"`
	AccessLog     float64       `help:"Log this share of requests, 0 to 1; ${default} unless given." default:"0" placeholder:"SHARE"`
	AccessLogSlow time.Duration `help:"Log each request that takes as long or longer; none unless given." placeholder:"DURATION"`
	Drain         time.Duration `help:"Once stopped, answer 503 on /readyz for this long before closing the listener; ${default} unless given." default:"0s" placeholder:"DURATION"`
	MaxPageSize   int           `help:"Largest page a client may request, 1 to 10000; ${default} unless given." default:"1000" placeholder:"N"`

	MaxBody        int           `help:"Largest body of a request in bytes; ${default} unless given." default:"1048576" placeholder:"N"`
	MaxBatch       int           `help:"Most operations of one request, as a JSON array; ${default} unless given." default:"50" placeholder:"N"`
	MaxTokens      int           `help:"Most tokens of a document; ${default} unless given." default:"10000" placeholder:"N"`
	MaxDepth       int           `help:"Deepest nesting of fields; ${default} unless given." default:"20" placeholder:"N"`
	MaxAliases     int           `help:"Most fields with an alias in an operation; ${default} unless given." default:"200" placeholder:"N"`
	MaxRootFields  int           `help:"Most fields at the top of an operation; ${default} unless given." default:"100" placeholder:"N"`
	MaxCost        int           `help:"Highest cost of a request, about one for each value of the response; ${default} unless given." default:"500000" placeholder:"N"`
	MaxAnswer      int           `help:"Largest data of a response in bytes, over all operations of a request; ${default} unless given." default:"33554432" placeholder:"N"`
	MaxConcurrency *int          `help:"Most operations that run at once, over all requests; one less than --db-connections unless given." placeholder:"N"`
	MaxConnections int           `help:"Most connections; beyond that a new one replaces one of the client that has the most. ${default} unless given." default:"4096" placeholder:"N"`
	Timeout        time.Duration `help:"Longest time an operation may take; ${default} unless given." default:"10s" placeholder:"DURATION"`
	ReadTimeout    time.Duration `help:"Longest time a request may take to arrive; ${default} unless given." default:"15s" placeholder:"DURATION"`

	DBConnections *int `help:"Connections that read the database; 5 to a SQLite file, and 8 to 64 to PostgreSQL, eight for each processor, unless given." name:"db-connections" placeholder:"N"`

	AnswerCache int `help:"Memory for cached responses about final blocks, in MiB, 0 to 65536; ${default} unless given." default:"0" placeholder:"MIB"`

	MaxLag time.Duration `help:"Be ready (/readyz) only while the last indexed block is at most this old; at any age unless given." placeholder:"DURATION"`

	Introspection    bool     `help:"Answer introspection; --no-introspection also keeps errors from suggesting names." default:"true" negatable:""`
	TrustedDocuments string   `help:"Run only these documents: a folder of .graphql files, or a manifest written by Apollo's or Relay's tools." placeholder:"PATH"`
	TrustedProxies   []string `help:"Take the client's address from X-Forwarded-For or Forwarded if the request comes from this address or prefix, such as 10.0.0.0/8, or through a Unix socket: unix (repeatable)." name:"trusted-proxies" placeholder:"PREFIX"`
	CORSOrigin       []string `help:"Allow pages of this origin, such as https://example.org; * for all (repeatable)." name:"cors-origin" placeholder:"ORIGIN" sep:"none"`
}

// Validate checks what the flags' types do not.
func (l listening) Validate() error {
	const most = 1 << 30
	return cmp.Or(
		l.controlling.check(),
		within("--max-page-size", l.MaxPageSize, 1, 10_000),
		within("--max-body", l.MaxBody, 1, most), within("--max-batch", l.MaxBatch, 1, most), within("--max-tokens", l.MaxTokens, 1, most),
		within("--max-depth", l.MaxDepth, 1, most), within("--max-aliases", l.MaxAliases, 1, most),
		within("--max-root-fields", l.MaxRootFields, 1, most), within("--max-cost", l.MaxCost, 1, most),
		within("--max-answer", l.MaxAnswer, 1, most), within("--max-concurrency", given(l.MaxConcurrency, 1), 1, most), within("--db-connections", given(l.DBConnections, 1), 1, maxReaders),
		within("--max-connections", l.MaxConnections, 1, most), within("--answer-cache", l.AnswerCache, 0, 1<<16),
		within("--timeout", l.Timeout, time.Millisecond, time.Hour), within("--read-timeout", l.ReadTimeout, time.Millisecond, time.Hour),
		within("--access-log", l.AccessLog, 0, 1), notNegative("--access-log-slow", l.AccessLogSlow),
		within("--drain", l.Drain, 0, time.Hour), notNegative("--max-lag", l.MaxLag),
		flagError("--listen", checkAddress(l.Listen)), flagError("--metrics-listen", checkAddress(cmp.Or(l.MetricsListen, l.Listen))),
		flagError("--cors-origin", httpapi.CheckOrigins(l.CORSOrigin)), flagError("--trusted-proxies", httpapi.CheckProxies(l.TrustedProxies)),
	)
}

// maxSocketPath is the length of the longest path of a Unix socket, in bytes, where it is
// shortest.
const maxSocketPath = 103

// checkAddress fails for an address that nothing can listen on.
func checkAddress(address string) error {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		if len(path) < 1 || len(path) > maxSocketPath || path[0] == '@' {
			return fmt.Errorf("got %q, want unix: and a path of at most %d bytes", address, maxSocketPath)
		}
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("got %q, want HOST:PORT such as 127.0.0.1:8080, :8080 for all addresses, or unix:PATH", address)
	}
	return nil
}

// limits are the limits of requests to a store that so many connections read. Metrics
// and the like have one of them.
func (l listening) limits(readers int) httpapi.Limits {
	return httpapi.Limits{
		Body: l.MaxBody, Batch: l.MaxBatch, Tokens: l.MaxTokens, Depth: l.MaxDepth, Aliases: l.MaxAliases, RootFields: l.MaxRootFields,
		Cost: l.MaxCost, Answer: l.MaxAnswer, PageSize: l.MaxPageSize, Concurrency: given(l.MaxConcurrency, max(1, readers-1)), Timeout: l.Timeout,
	}
}

// options are the options of the served store, whose reads e may trace. It has a
// connection for each operation that may run, because operations that wait for one are
// served in the order in which they came, whoever sent them.
func (l listening) options(e *env) store.Options {
	readers := 0
	if l.MaxConcurrency != nil {
		readers = min(*l.MaxConcurrency, maxReaders-1) + 1
	}
	o := store.Options{MaxPageSize: l.MaxPageSize, Readers: given(l.DBConnections, readers)}
	if e.tracing != nil {
		o.Trace = e.tracing.Statements
	}
	return o
}

// given returns the value of a flag, or another if the flag was not given.
func given(flag *int, otherwise int) int {
	if flag == nil {
		return otherwise
	}
	return *flag
}

// maxReaders bounds --db-connections.
const maxReaders = 1_000

// serve answers requests from s until ctx ends and --drain is over, then closes the
// listener. The page shows images from the gateways of r. It calls ready with the server's
// URL once it accepts connections.
func (l listening) serve(ctx context.Context, e *env, s *store.Store, listener *entrance, r resolving, ready func(base string)) (err error) {
	var registry *prometheus.Registry
	if l.MetricsListen != "" {
		registry = prometheus.NewRegistry()
	}
	gateways, err := r.gateways()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	config := httpapi.Config{
		Schema:         graph.NewSchema(s, e.now),
		Extensions:     []graphql.HandlerExtension{graph.Snapshots{Store: s}},
		ErrorPresenter: graph.PresentError(e.log),
		Recover:        graph.Recover(e.log),
		Final:          graph.Final,
		Generation:     s.Generation,
		Ready: func(request context.Context) error {
			if ctx.Err() != nil {
				return nft.Errorf(nft.Unavailable, "the server is stopping")
			}
			return readiness(request, s, e.now, l.MaxLag)
		},
		Collector: dataMetrics{s, e.log, e.events, e.now},
		Registry:  registry,
		Examples:  func(ctx context.Context) (httpapi.Examples, error) { return examples(ctx, s) },
		Gateways:  gateways,
		Log:       e.log,
		AccessLog: httpapi.AccessLog{Rate: l.AccessLog, Slow: l.AccessLogSlow},

		Limits:           l.limits(s.PoolStats().Max),
		Introspection:    l.Introspection,
		TrustedDocuments: l.TrustedDocuments,
		AnswerCache:      l.AnswerCache << 20,
		Origins:          l.CORSOrigin,
		TrustedProxies:   l.TrustedProxies,
		AllowedHosts:     l.AllowedHosts,
		Access:           listener.access(l.controlling),
	}
	if e.tracing != nil {
		config.Tracer = e.tracing
	}
	handler, err := httpapi.New(config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	// A slow client may take as long for the response as for the request.
	server := httpapi.NewServer(handler, l.ReadTimeout, 2*l.ReadTimeout+l.Timeout, e.log)
	limited, err := httpapi.LimitConnections(listener, server, l.connections(e), l.TrustedProxies, e.log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if registry != nil {
		stop, err := l.serveMetrics(e, registry)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		defer stop()
	}
	tuneCollector(l.AnswerCache << 20)
	ready(listener.base())
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer listener.watch(serving)()
	defer context.AfterFunc(ctx, func() {
		if l.Drain > 0 {
			e.log.Info("draining: not ready, but still serving", "time", l.Drain)
		}
		time.AfterFunc(l.Drain, stop)
	})()
	return httpapi.Serve(serving, server, func() error { return listener.serve(server, limited) })
}

// serveMetrics serves /metrics on --metrics-listen until stop is called. If it fails
// later, the API goes on.
func (l listening) serveMetrics(e *env, registry *prometheus.Registry) (stop func(), err error) {
	listener, err := listenAt(l.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("listening (--metrics-listen): %w", err)
	}
	e.log.Info("serving metrics", "metrics", "http://"+listener.Addr().String()+"/metrics")
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", httpapi.Metrics(registry))
	server := httpapi.NewServer(mux, l.ReadTimeout, l.ReadTimeout+scrapeTime, e.log)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("serving metrics", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}

// otherFiles is the number of open files left for the database, nodes and documents.
const otherFiles = 256

// connections returns --max-connections, or less if the system allows fewer open
// files.
func (l listening) connections(e *env) int {
	limit, known := openFiles()
	if !known || uint64(l.MaxConnections)+otherFiles <= limit {
		return l.MaxConnections
	}
	most := 1
	if limit > 2*otherFiles {
		most = int(limit - otherFiles)
	} else if limit > 2 {
		most = int(limit / 2)
	}
	e.log.Warn("fewer connections than --max-connections: the system allows no more open files", "connections", most, "open-files", limit)
	return most
}
