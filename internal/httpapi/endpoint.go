package httpapi

import (
	"context"
	"sync"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/batches"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/queries"
	"mintburn/internal/httpapi/respond"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/httpapi/watch"
)

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
