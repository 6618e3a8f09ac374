package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"mintburn/graph"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// listening is where and how a command serves.
type listening struct {
	Listen        string        `help:"Address to listen on, ${default} unless given." default:"127.0.0.1:8080" placeholder:"ADDR"`
	MetricsListen string        `help:"Serve /metrics on this address, and not on that of --listen." placeholder:"ADDR"`
	Drain         time.Duration `help:"When stopped, answer 503 on /readyz for this long before the listener closes; ${default} unless given." default:"0s" placeholder:"DURATION"`
	MaxPageSize   int           `help:"Largest page that may be asked for, 1 to 10000; ${default} unless given." default:"1000" placeholder:"N"`

	MaxBody        int           `help:"Largest body of a request in bytes; ${default} unless given." default:"1048576" placeholder:"N"`
	MaxBatch       int           `help:"Most operations of one request, as a JSON array; ${default} unless given." default:"50" placeholder:"N"`
	MaxTokens      int           `help:"Most tokens of a document; ${default} unless given." default:"10000" placeholder:"N"`
	MaxDepth       int           `help:"How deep fields may nest; ${default} unless given." default:"20" placeholder:"N"`
	MaxAliases     int           `help:"Most fields with an alias in an operation; ${default} unless given." default:"200" placeholder:"N"`
	MaxRootFields  int           `help:"Most fields at the top of an operation; ${default} unless given." default:"100" placeholder:"N"`
	MaxCost        int           `help:"Highest cost of a request, about one for each value of the answer; ${default} unless given." default:"500000" placeholder:"N"`
	MaxAnswer      int           `help:"Largest data of an answer in bytes, over all operations of a request; ${default} unless given." default:"33554432" placeholder:"N"`
	MaxConcurrency int           `help:"Most operations that run at once, over all requests; the database gets as many connections to read. ${default} unless given." default:"4" placeholder:"N"`
	MaxConnections int           `help:"Most connections; beyond them a new one replaces one of the client that has the most. ${default} unless given." default:"4096" placeholder:"N"`
	Timeout        time.Duration `help:"How long an operation may take; ${default} unless given." default:"10s" placeholder:"DURATION"`
	ReadTimeout    time.Duration `help:"How long a request may take to arrive; ${default} unless given." default:"15s" placeholder:"DURATION"`

	AnswerCache int `help:"Memory for answers about final blocks, in MiB, 0 to 65536; ${default} unless given." default:"0" placeholder:"MIB"`

	MaxLag time.Duration `help:"Be ready (/readyz) only while the last indexed block is no older than this; any age will do unless given." placeholder:"DURATION"`

	Introspection    bool     `help:"Let callers ask for the schema; --no-introspection also stops errors from suggesting names." default:"true" negatable:""`
	TrustedDocuments string   `help:"Run only these documents: a folder of .graphql files, or a manifest as Apollo's or Relay's tools write it." placeholder:"PATH"`
	TrustedProxies   []string `help:"Take the client's address from X-Forwarded-For or Forwarded if the request comes from this address or prefix, such as 10.0.0.0/8. Repeatable." name:"trusted-proxies" placeholder:"PREFIX"`
	CORSOrigin       []string `help:"Let pages of this origin ask, such as https://example.org; * for all. Repeatable." name:"cors-origin" placeholder:"ORIGIN" sep:"none"`
}

type serveCommand struct {
	database
	listening
	decoding
	following
}

// Validate refuses values that no flag type refuses.
func (c *serveCommand) Validate() error {
	if len(c.RPC) > 0 {
		if err := checkRPC(c.RPC); err != nil {
			return err
		}
	}
	return cmp.Or(c.database.check(), c.listening.Validate(), c.following.check())
}

// Validate refuses values that no flag type refuses.
func (l listening) Validate() error {
	if l.MaxPageSize < 1 || l.MaxPageSize > 10_000 {
		return fmt.Errorf("--max-page-size is %d: want 1 to 10000", l.MaxPageSize)
	}
	for flag, value := range map[string]int{
		"max-body": l.MaxBody, "max-batch": l.MaxBatch, "max-tokens": l.MaxTokens, "max-depth": l.MaxDepth, "max-aliases": l.MaxAliases,
		"max-root-fields": l.MaxRootFields, "max-cost": l.MaxCost, "max-answer": l.MaxAnswer, "max-concurrency": l.MaxConcurrency,
		"max-connections": l.MaxConnections,
	} {
		if value < 1 || value > 1<<30 {
			return fmt.Errorf("--%s is %d: want 1 to %d", flag, value, 1<<30)
		}
	}
	for flag, value := range map[string]time.Duration{"timeout": l.Timeout, "read-timeout": l.ReadTimeout} {
		if value < time.Millisecond || value > time.Hour {
			return fmt.Errorf("--%s is %s: want 1ms to 1h", flag, value)
		}
	}
	if l.AnswerCache < 0 || l.AnswerCache > 1<<16 {
		return fmt.Errorf("--answer-cache is %d: want 0 to %d", l.AnswerCache, 1<<16)
	}
	if l.MaxLag < 0 {
		return fmt.Errorf("--max-lag is %s: want a time such as 5m", l.MaxLag)
	}
	if l.Drain < 0 || l.Drain > time.Hour {
		return fmt.Errorf("--drain is %s: want 0s to 1h", l.Drain)
	}
	if err := checkAddress(l.Listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if err := checkAddress(l.MetricsListen); l.MetricsListen != "" && err != nil {
		return fmt.Errorf("--metrics-listen: %w", err)
	}
	if err := httpapi.CheckOrigins(l.CORSOrigin); err != nil {
		return fmt.Errorf("--cors-origin: %w", err)
	}
	if err := httpapi.CheckProxies(l.TrustedProxies); err != nil {
		return fmt.Errorf("--trusted-proxies: %w", err)
	}
	return nil
}

// checkAddress refuses what is no address to listen on.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("got %q, want HOST:PORT such as 127.0.0.1:8080, or :8080 for all addresses", address)
	}
	return nil
}

// limits are what requests are held within.
func (l listening) limits() httpapi.Limits {
	return httpapi.Limits{
		Body: l.MaxBody, Batch: l.MaxBatch, Tokens: l.MaxTokens, Depth: l.MaxDepth, Aliases: l.MaxAliases, RootFields: l.MaxRootFields,
		Cost: l.MaxCost, Answer: l.MaxAnswer, PageSize: l.MaxPageSize, Concurrency: l.MaxConcurrency, Timeout: l.Timeout,
	}
}

func (*serveCommand) endless() bool { return true }

// options are those of the store that is served. Operations do not wait for a
// connection, since there they would wait in the order in which they came; one
// more is for what is read beside them, such as metrics.
func (l listening) options() store.Options {
	return store.Options{MaxPageSize: l.MaxPageSize, Readers: min(l.MaxConcurrency, maxReaders) + 1}
}

// maxReaders bounds the connections of the largest --max-concurrency.
const maxReaders = 1_000

// Run serves until ctx ends, and follows the chain meanwhile if it is given a
// node. Only then it creates the database. While PostgreSQL can't be reached, it
// answers that it is unavailable. When one of the two fails, both end.
func (c *serveCommand) Run(ctx context.Context, e *env) (err error) {
	signal.Ignore(syscall.SIGHUP)
	listener, err := c.listen()
	if err != nil {
		return err
	}
	s, err := c.openServing(ctx, e, listener)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	both, ctx := errgroup.WithContext(ctx)
	if len(c.RPC) > 0 {
		both.Go(func() error {
			_, err := c.follow(ctx, e, s, c.decoding, false)
			return err
		})
	}
	both.Go(func() error {
		return c.serve(ctx, e, s, listener, func(address string) {
			e.log.Info("serving", "page", "http://"+address+"/", "graphql", "http://"+address+"/graphql")
		})
	})
	return both.Wait()
}

// openServing opens the database. While PostgreSQL can't be reached, it answers
// requests with that.
func (c *serveCommand) openServing(ctx context.Context, e *env, listener net.Listener) (*store.Store, error) {
	open := func() (*store.Store, error) {
		if len(c.RPC) > 0 {
			return c.open(ctx, e, c.options())
		}
		return c.read(ctx, e, c.options())
	}
	s, err := open()
	if !store.IsLost(err) {
		return s, err
	}
	e.log.Warn("waiting for the database", "error", err, "graphql", "http://"+listener.Addr().String()+"/graphql")
	server := httpapi.NewServer(httpapi.Unavailable(), c.ReadTimeout, c.ReadTimeout, e.log)
	// Each connection has one answer, so that the next comes from the database.
	server.SetKeepAlivesEnabled(false)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// It always ends with an error: that of a closed listener.
		_ = server.Serve(lent{listener})
	}()
	s, err = await(ctx, e, open)
	err = errors.Join(err, lent{listener}.Close())
	<-ended
	if err = errors.Join(err, lent{listener}.giveBack()); err != nil && s != nil {
		err = errors.Join(err, s.Close())
	}
	return s, err
}

// lent is a listener that another server gets next. No connection is lost between
// the two, and the first one answers those that it has accepted.
type lent struct{ net.Listener }

// Accept fails after Close.
func (l lent) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = net.ErrClosed
	}
	return conn, err
}

// Close ends Accept, and leaves the listener open.
func (l lent) Close() error { return l.Listener.(*net.TCPListener).SetDeadline(time.Unix(1, 0)) }

func (l lent) giveBack() error { return l.Listener.(*net.TCPListener).SetDeadline(time.Time{}) }

// listen opens the address to serve at.
func (l listening) listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", l.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening (--listen): %w", err)
	}
	return listener, nil
}

// serve answers requests from s until ctx ends and --drain is over, and closes
// the listener; ready is called with the address once connections are accepted.
func (l listening) serve(ctx context.Context, e *env, s *store.Store, listener net.Listener, ready func(address string)) (err error) {
	var registry *prometheus.Registry
	if l.MetricsListen != "" {
		registry = prometheus.NewRegistry()
	}
	schema := graph.NewSchema(s, time.Now)
	handler, err := httpapi.New(httpapi.Config{
		Schema:         schema,
		Scalars:        schema.Scalars,
		Extensions:     []graphql.HandlerExtension{graph.Snapshots{Store: s}},
		ErrorPresenter: graph.PresentError(e.log),
		Recover:        graph.Recover(e.log),
		Bounded:        graph.WithGrowth,
		Final:          graph.Final,
		Generation:     s.Generation,
		Ready: func(request context.Context) error {
			if ctx.Err() != nil {
				return nft.Errorf(nft.Unavailable, "the server is stopping")
			}
			return readiness(request, s, l.MaxLag)
		},
		Collector: state{s, e.log, e.events},
		Registry:  registry,
		Examples:  func(ctx context.Context) (httpapi.Examples, error) { return examples(ctx, s) },
		Log:       e.log,

		Limits:           l.limits(),
		Introspection:    l.Introspection,
		TrustedDocuments: l.TrustedDocuments,
		AnswerCache:      l.AnswerCache << 20,
		Origins:          l.CORSOrigin,
		TrustedProxies:   l.TrustedProxies,
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	// A slow client may take as long for the answer as for the question.
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
	ready(listener.Addr().String())
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		if l.Drain > 0 {
			e.log.Info("draining: not ready, and serving until the time is over", "time", l.Drain)
		}
		time.AfterFunc(l.Drain, stop)
	})()
	return httpapi.Serve(serving, server, func() error { return server.Serve(limited) })
}

// serveMetrics serves /metrics on an address of its own until stop is called.
// The API goes on when that fails later.
func (l listening) serveMetrics(e *env, registry *prometheus.Registry) (stop func(), err error) {
	listener, err := net.Listen("tcp", l.MetricsListen)
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

// otherDescriptors are left for the database, for nodes and for documents.
const otherDescriptors = 256

// connections returns how many connections there may be: what was asked for, if
// the system allows as many.
func (l listening) connections(e *env) int {
	limit, known := descriptors()
	if !known || uint64(l.MaxConnections)+otherDescriptors <= limit {
		return l.MaxConnections
	}
	most := 1
	if limit > 2*otherDescriptors {
		most = int(limit - otherDescriptors)
	} else if limit > 2 {
		most = int(limit / 2)
	}
	e.log.Warn("fewer connections than --max-connections: the system allows no more open files", "connections", most, "open-files", limit)
	return most
}

// examples finds values for the page's ready tabs.
func examples(ctx context.Context, s *store.Store) (shown httpapi.Examples, err error) {
	snapshot := s.Snapshot()
	defer func() {
		if err = errors.Join(err, snapshot.Close()); store.IsLost(err) {
			// The page opens all the same.
			err = nil
		}
	}()
	found, err := snapshot.Examples(ctx)
	if err != nil {
		return shown, err
	}
	if m := found.Mint; m != nil {
		number := evm.Long(m.Block.Number)
		shown.BlockNumber, shown.MintAddress, shown.MintTx = &number, &m.Contract, &m.TxHash
	}
	if b := found.Burn; b != nil {
		to := evm.Long(b.Block.Number)
		// Far enough back for a page, and surely indexed.
		chain, err := snapshot.Chain(ctx)
		if err != nil {
			return shown, err
		}
		from := to
		for _, r := range chain.Indexed {
			if r.From <= uint64(to) && uint64(to) <= r.To {
				from = evm.Long(max(r.From, uint64(to)-min(uint64(to), 1000)))
			}
		}
		shown.BurnAddress, shown.FromBlock, shown.ToBlock = &b.Contract, &from, &to
		shown.BurnTokenAddress, shown.BurnTokenID = &b.Contract, &b.TokenID
	}
	shown.MetadataAddress = found.Collection
	return shown, nil
}
