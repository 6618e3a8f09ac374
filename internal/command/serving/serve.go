package serving

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"

	"mintburn/graph"
	"mintburn/internal/command/following"
	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
)

// Serve answers requests for chains until ctx ends and --drain has passed, then closes the
// listener. defaultChain is the chain of paths without a name, or "". The page shows images from the
// gateways of r. serve calls ready with the server's URL once it accepts connections.
func (l Listening) Serve(ctx context.Context, e *process.Env, chains []*Chain, defaultChain string, listener *Entrance, r following.Resolving, t Tracing, ready func(base string)) (err error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(listener.loads.apiKeys, listener.loads.reloads)
	ipfs, arweave, err := r.Gateways()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	provers := proversOf(chains)
	defer provers.close()
	config := httpapi.Config{
		Config: execute.Config{
			Schema: graph.NewSchema(l.MaxPageSize, e.Now), Extensions: []graphql.HandlerExtension{graph.Snapshots{Store: stores(chains), Prover: provers.of}},
			ErrorPresenter: graph.PresentError(e.Log), Recover: graph.Recover(e.Log), Final: graph.Final, Log: e.Log,
		},
		DefaultChain: defaultChain,
		Stopping:     ctx,
		Options:      observe.Options{Registry: registry, Elsewhere: l.MetricsListen != "", AccessLog: observe.AccessLog{Rate: l.AccessLog, Slow: l.AccessLogSlow}},
		Gateways:     page.Gateways{IPFS: ipfs, Arweave: arweave},
		Files:        e.Files,

		// Reading and pricing need no database.
		Limits:           l.Limits(max(4, runtime.GOMAXPROCS(0)) + 1),
		Introspection:    l.Introspection,
		TrustedDocuments: l.TrustedDocuments,
		Origins:          l.CORSOrigin,
		TrustedProxies:   l.TrustedProxies,
		AllowedHosts:     l.AllowedHosts,
		Access:           listener.access(l.Controlling),
	}
	if t != nil {
		config.Tracer = t
	}
	for _, c := range chains {
		config.Chains = append(config.Chains, c.config(ctx, len(chains)))
	}
	handler, err := httpapi.New(config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	// A slow client may take as long to read the response as to send the request.
	server := httpapi.NewServer(handler, l.ReadTimeout, 2*l.ReadTimeout+l.Timeout, e.Log)
	limited, err := admit.LimitConnections(listener, server, l.connections(e), l.TrustedProxies, e.Log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if l.MetricsListen != "" {
		stop, err := l.serveMetrics(e, registry)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		defer stop()
	}
	tuneCollector(l.MaxSubscriptions)
	ready(listener.Base())
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer listener.watch(serving)()
	defer context.AfterFunc(ctx, func() {
		drain := l.Drain
		if !slices.ContainsFunc(chains, func(c *Chain) bool { return c.Store() != nil }) {
			// There is nothing to answer.
			drain = 0
		}
		if drain > 0 {
			e.Log.Info("draining: not ready, but still serving", "time", drain)
		}
		time.AfterFunc(drain, stop)
	})()
	return httpapi.Serve(serving, server, func() error { return listener.Serve(server, limited) })
}

// WarnOfHTTP1 warns if the server speaks HTTP/1.1 only.
func WarnOfHTTP1(e *process.Env) {
	if !negotiate.HTTP2() {
		e.Log.Warn("serving HTTP/1.1 only: a client could end a program of this version of Go by HTTP/2 (GO-2026-6617)", "go", runtime.Version(), "want", negotiate.SafeGo)
	}
}

// serveMetrics serves /metrics on --metrics-listen until stop is called. It logs a later
// failure, after which the API continues.
func (l Listening) serveMetrics(e *process.Env, registry *prometheus.Registry) (stop func(), err error) {
	listener, err := listenAt(l.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("listening (--metrics-listen): %w", err)
	}
	e.Log.Info("serving metrics", "metrics", "http://"+listener.Addr().String()+"/metrics")
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", observe.Metrics(registry))
	server := httpapi.NewServer(mux, l.ReadTimeout, l.ReadTimeout+state.ScrapeTime, e.Log)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.Log.Error("serving metrics", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
