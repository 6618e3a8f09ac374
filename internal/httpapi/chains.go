package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/batches"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/watch"
)

// Chain is a chain that a server answers for, and what it reads of it. Operations read within the
// context of [ChainOf].
type Chain struct {
	// Name is "" for a server's only chain that has none.
	Name string
	// LastChange returns the mark of the log of changes. It is called while requests wait for
	// changes.
	LastChange func(ctx context.Context) (watch.Mark, error)
	// Ready returns why the chain should get no requests, or nil. Clients see the message of
	// an [apierror.Error], and of no other error.
	Ready func(ctx context.Context) error
	// State returns what /chains says of the chain.
	State func(ctx context.Context) (ChainState, error)
	// Examples returns values for the page's example tabs.
	Examples func(context.Context) (page.Examples, error)
	// Share returns what a page of Explore is about, with at most two statements.
	Share func(context.Context, page.Shown) (*page.Share, error)
	// Collector provides metrics about the data, or is nil.
	Collector prometheus.Collector
	// ExplorerURL is the block explorer that the page links to, or "".
	ExplorerURL string
	// Concurrency is how many operations run at once, 0 for that of [Limits].
	Concurrency int
}

// ChainOf returns the name of the chain whose data a context's operation reads.
func ChainOf(ctx context.Context) string { return admit.ChainOf(ctx) }

// chain is a chain with what guards and watches its database.
type chain struct {
	Chain
	operations execute.Chain
	batches    *batches.Batches
}

// several reports whether chains have names.
func (e *endpoint) several() bool { return e.chains[""] == nil }

// addLimiters adds the chains with their limiters, and that of the process, which is the chain's if there is
// only one.
func (e *endpoint) addLimiters() {
	e.chains = map[string]*chain{}
	maxWait := e.Limits.Timeout / 2
	for _, c := range e.Chains {
		in := prometheus.Registerer(e.Observer.Registry)
		if c.Name != "" {
			in = prometheus.WrapRegistererWith(prometheus.Labels{"chain": c.Name}, in)
		}
		if c.Collector != nil {
			in.MustRegister(c.Collector)
		}
		slots := c.Concurrency
		if slots == 0 {
			slots = e.Limits.Concurrency
		}
		e.Limiter = admit.NewLimiter(slots, maxWait, admit.NewLimiterMetrics(promauto.With(in)))
		in.MustRegister(e.Limiter)
		e.chains[c.Name] = &chain{Chain: c, operations: execute.Chain{Name: c.Name, Limiter: e.Limiter}}
	}
	if e.several() {
		e.Limiter = admit.NewLimiter(e.Limits.Concurrency, maxWait, admit.NewLimiterMetrics(promauto.With(nil)))
	}
}

// names returns the names of the chains.
func (e *endpoint) names() string {
	var list []string
	for _, c := range e.Chains {
		list = append(list, c.Name)
	}
	return strings.Join(list, ", ")
}

// at returns the chain that a context concerns, the default one if it concerns none, or nil.
func (e *endpoint) at(ctx context.Context) *chain {
	if !e.several() {
		return e.chains[""]
	}
	return e.chains[cmp.Or(admit.ChainOf(ctx), e.DefaultChain)]
}

// choose returns the chain of an operation, which may name one unless its path does.
func (e *endpoint) choose(ctx context.Context, named string) (*execute.Chain, *failure.Error) {
	if !e.several() {
		return &e.chains[""].operations, nil
	}
	of := admit.ChainOf(ctx)
	if of != "" && named != "" && named != of {
		return nil, failure.BadRequest("extensions.chain: got %q at a path of %s: want none, or /graphql", failure.Brief(named, 80), of)
	}
	name := cmp.Or(of, named, e.DefaultChain)
	known := e.chains[name]
	switch {
	case name == "":
		return nil, failure.BadRequest("extensions.chain: got none, want one of %s", e.names())
	case known == nil:
		return nil, failure.BadRequest("extensions.chain: got %q, want one of %s", failure.Brief(name, 80), e.names())
	case e.Callers != nil:
		return &known.operations, e.Callers.ForChain(admit.OnChain(ctx, name))
	}
	return &known.operations, nil
}

// named removes the name of a chain from the path of a request, and adds it to its context.
func (e *endpoint) named(next http.Handler) http.Handler {
	if !e.several() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
		if e.chains[name] == nil {
			next.ServeHTTP(w, r)
			return
		}
		on := r.WithContext(admit.OnChain(r.Context(), name))
		on.URL = new(url.URL)
		*on.URL = *r.URL
		on.URL.Path, on.URL.RawPath = strings.TrimPrefix(r.URL.Path, "/"+name), strings.TrimPrefix(r.URL.RawPath, "/"+name)
		next.ServeHTTP(w, on)
	})
}

// placed answers at paths that differ between a server with one chain and with several. list are the
// routes of next.
func (e *endpoint) placed(list []routed, next http.Handler) http.Handler {
	if !e.several() {
		return next
	}
	known := map[string]bool{}
	for _, one := range list {
		known[strings.Split(one.pattern, "/")[1]] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of, at := admit.ChainOf(r.Context()), r.URL.Path
		first, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
		switch {
		case of != "" && at == "":
			// Relative, for a proxy that serves this below a path.
			to := url.URL{Path: of + "/", RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", to.String())
			w.WriteHeader(http.StatusPermanentRedirect)
		case of != "" && slices.Contains(ofProcess, at):
			e.refuseAt(w, r, "want %s: it is the same for all chains", at)
		case of != "":
			next.ServeHTTP(w, r)
		case first == "" || first == "v1" || first == "explore":
			e.atRoot(w, r, next, first)
		case !known[first] && !strings.Contains(first, "."):
			e.refuseAt(w, r, "there is no chain %q: want one of %s", failure.Brief(first, 80), e.names())
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ofProcess are the paths at the root that no chain has too.
var ofProcess = []string{"/healthz", "/metrics"}

// atRoot answers at paths of the default chain. Without one, / lists the chains.
func (e *endpoint) atRoot(w http.ResponseWriter, r *http.Request, next http.Handler, first string) {
	switch {
	case e.DefaultChain != "":
		observe.Of(r.Context()).Chain = e.DefaultChain
		next.ServeHTTP(w, r.WithContext(context.WithValue(admit.OnChain(r.Context(), e.DefaultChain), rootKey{}, true)))
	case first == "":
		next.ServeHTTP(w, r)
	default:
		var list []string
		for _, c := range e.Chains {
			list = append(list, "/"+c.Name+failure.Brief(r.URL.Path, 200))
		}
		e.refuseAt(w, r, "there is no default chain: want %s", strings.Join(list, " or "))
	}
}

// rootKey is the context key of requests for the default chain that don't name it.
type rootKey struct{}

// refuseAt answers that there is nothing at a path.
func (e *endpoint) refuseAt(w http.ResponseWriter, r *http.Request, format string, args ...any) {
	failed := failure.WithStatus(http.StatusNotFound, apierror.NotFound, format, args...)
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		e.sender.FailGraphQL(w, r, failed)
		return
	}
	e.sender.Fail(w, r, failed)
}

// shown returns the chain of a request as the page shows it.
func (e *endpoint) shown(r *http.Request) *page.Chain {
	if !e.several() {
		return nil
	}
	c := &page.Chain{Name: admit.ChainOf(r.Context()), Up: "../"}
	if r.Context().Value(rootKey{}) != nil {
		c.Up = "./"
	}
	for _, known := range e.Chains {
		c.Names = append(c.Names, known.Name)
	}
	return c
}
