package httpapi

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"

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
	// Chains are the chains that the server answers for: one without a name, or any number with
	// different names, none of which begins a path of its own.
	Chains []Chain
	// DefaultChain is the name of the chain of paths and operations that name none, or "".
	DefaultChain string
	observe.Options
	// Gateways are where the page loads images of ipfs: and ar: addresses from.
	Gateways page.Gateways
	// Files are the files of the repository that /docs shows.
	Files fs.FS
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
	// Concurrency is how many operations run at once on a chain, unless [Chain] says otherwise. It
	// should not exceed the number of database connections, which operations get in order of arrival.
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
	routes   *routes.Routes
	chains   *chains
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
	maxWait := c.Limits.Timeout / 2
	e.chains = newChains(c.Chains, c.DefaultChain, c.Limits.Concurrency, maxWait, e.Observer.Registry, c.Log)
	if only := e.chains.only(); only != nil {
		e.Limiter = only.operations.Limiter
	} else {
		e.Limiter = admit.NewLimiter(c.Limits.Concurrency, maxWait, admit.NewLimiterMetrics(promauto.With(nil)))
	}
	if c.Access != nil {
		e.Callers = admit.NewCallers(*c.Access, e.clients)
	}
	e.executor = execute.New(c.Config, e.Parts, c.Limits.Limits, c.Limits.Answer)
	e.sender = respond.New(e.Parts, e.clients, e.routes, c.Log)
	e.chains.callers, e.chains.sender = e.Callers, e.sender
	if e.Stopping == nil {
		e.Stopping = context.Background()
	}
	e.streams = admit.NewStreams(e.Stopping, c.Limits.Subscriptions, c.Limits.ClientSubscriptions)
	for _, known := range e.chains.list {
		known.batches = batches.New(batches.Config{
			Chain: known.Name, Executor: e.executor, Changes: watch.New(known.LastChange, c.Log), Streams: e.streams, Times: c.Limits.Times, Timeout: c.Limits.Timeout,
		}, known.operations.Limiter.Slots)
	}
	e.Observer.Registry.MustRegister(observe.State{Budget: e.Budget, Streams: e.streams, Caches: func() map[string]admit.CacheStats {
		caches := e.Queries.Stats()
		for _, known := range e.chains.list {
			caches["batches"] = caches["batches"].Plus(known.batches.Stats())
		}
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
