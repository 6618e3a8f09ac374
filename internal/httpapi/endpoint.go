package httpapi

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/batches"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/queries"
	"mintburn/internal/httpapi/respond"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/httpapi/subscribe"
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
	// Share returns what a page of Explore is about, with at most two statements.
	Share func(context.Context, page.Shown) (*page.Share, error)
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

// Limits bound the requests. docs/limits.md has an example of each. All must be at least 1.
type Limits struct {
	// Body is the maximum size of a request body, in bytes.
	Body int
	// Batch is the maximum number of operations in a request that is a JSON array.
	Batch int
	cost.Limits
	// Answer is the maximum size of the answer's data for all operations in a request, in
	// bytes.
	Answer int
	// Subscriptions is how many subscriptions may be open, ClientSubscriptions how many of one
	// client.
	Subscriptions, ClientSubscriptions int
	subscribe.Times
	// Concurrency is how many operations run at once, over all requests. It should not exceed
	// the number of database connections, which operations get in order of arrival.
	Concurrency int
	// Timeout is the maximum duration of a request once it is read.
	Timeout time.Duration
}

// budgetBytes is the memory for large bodies and answers of all requests.
const budgetBytes = 256 << 20

// endpoint answers GraphQL over HTTP.
type endpoint struct {
	Config
	execute.Parts
	executor *execute.Executor
	// messages has the buffers of WebSocket messages.
	messages sync.Pool
	clients  *admit.Clients
	sender   *respond.Sender
	origins  origins
	streams  *admit.Streams
	batches  *batches.Batches
	routes   *routes.Routes
}

func newEndpoint(c Config) (*endpoint, error) {
	schema := c.Schema.Schema()
	e := &endpoint{Config: c}
	var err error
	if e.origins, err = newOrigins(c.Origins); err != nil {
		return nil, err
	}
	if e.clients, err = admit.NewClients(c.TrustedProxies, c.Log); err != nil {
		return nil, err
	}
	if e.routes, err = routes.New(schema); err != nil {
		return nil, err
	}
	e.Queries = queries.New(schema, c.Schema.Scalars, c.Introspection, c.Limits.Limits)
	e.Budget = admit.NewBudget(budgetBytes, e.clients)
	e.Observer = observe.New(c.Options, c.Log, e.clients)
	for _, to := range e.routes.List {
		e.Observer.Reserve(to.Document.Route)
	}
	// The other half of the timeout is left for the operation itself.
	e.Limiter = admit.NewLimiter(c.Limits.Concurrency, c.Limits.Timeout/2, e.Observer.Limiter)
	if c.Access != nil {
		e.Callers = admit.NewCallers(*c.Access, e.clients)
	}
	e.executor = execute.New(c.Config, e.Parts, c.Limits.Limits, c.Limits.Answer)
	e.sender = respond.New(e.Parts, e.clients, e.routes, c.Log)
	if e.Stopping == nil {
		e.Stopping = context.Background()
	}
	e.streams = admit.NewStreams(e.Stopping, c.Limits.Subscriptions, c.Limits.ClientSubscriptions)
	e.batches = batches.New(batches.Config{
		Executor: e.executor, Changes: watch.New(c.LastChange, c.Log), Streams: e.streams, Times: c.Limits.Times, Timeout: c.Limits.Timeout,
	}, c.Limits.Concurrency)
	e.Observer.Registry.MustRegister(observe.State{Limiter: e.Limiter, Budget: e.Budget, Streams: e.streams, Caches: func() map[string]admit.CacheStats {
		caches := e.Queries.Stats()
		caches["batches"] = e.batches.Stats()
		return caches
	}})
	if c.TrustedDocuments == "" {
		return e, nil
	}
	// Explore must run too.
	explore, err := page.Documents(page.Assets)
	if err == nil {
		err = e.Queries.Trust(c.TrustedDocuments, explore)
	}
	return e, err
}
