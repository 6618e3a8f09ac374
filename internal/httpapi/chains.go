package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/batches"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/respond"
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

// StateTime is how long the states and metrics of several chains wait for one of them.
const StateTime = 500 * time.Millisecond

// ChainState is what /chains says of a chain.
type ChainState struct {
	Name string `json:"name"`
	// Path is that of the chain's pages.
	Path    string  `json:"path"`
	ChainID *uint64 `json:"chain_id"`
	// Head and Finalized are the last indexed and the last finalized block, or nil.
	Head      *ChainBlock `json:"head"`
	Finalized *ChainBlock `json:"finalized"`
	// Lag is the age of Head in seconds, or nil.
	Lag *int64 `json:"lag"`
	// Following reports that some process follows the chain.
	Following bool `json:"following"`
	Ready     bool `json:"ready"`
	// Reason is why the chain is not ready, or nil.
	Reason *string `json:"reason"`
}

// ChainBlock is a block of a [ChainState]. Timestamp is in Unix seconds.
type ChainBlock struct {
	Number    uint64 `json:"number"`
	Hash      string `json:"hash"`
	Timestamp uint64 `json:"timestamp"`
}

// ChainOf returns the name of the chain whose data a context's operation reads.
func ChainOf(ctx context.Context) string { return admit.ChainOf(ctx) }

// chain is a chain with what guards and watches its database.
type chain struct {
	Chain
	operations execute.Chain
	batches    *batches.Batches
}

// chains are the chains of a server, in the order of the configuration.
type chains struct {
	list  []*chain
	named map[string]*chain
	// fallback is the name of the default chain, or "".
	fallback string
	// callers is nil if everybody may use the API.
	callers *admit.Callers
	sender  *respond.Sender
	log     *slog.Logger
}

// newChains returns the chains with limiters of so many slots, unless they say otherwise, whose metrics
// it registers.
func newChains(list []Chain, fallback string, slots int, maxWait time.Duration, registry prometheus.Registerer, log *slog.Logger) *chains {
	all := &chains{named: map[string]*chain{}, fallback: fallback, log: log}
	for _, c := range list {
		in := registry
		if c.Name != "" {
			in = prometheus.WrapRegistererWith(prometheus.Labels{"chain": c.Name}, in)
		}
		if c.Collector != nil {
			in.MustRegister(c.Collector)
		}
		limiter := admit.NewLimiter(cmp.Or(c.Concurrency, slots), maxWait, admit.NewLimiterMetrics(promauto.With(in)))
		in.MustRegister(limiter)
		one := &chain{Chain: c, operations: execute.Chain{Name: c.Name, Limiter: limiter, Proofs: limiter.ForProofs()}}
		all.list, all.named[c.Name] = append(all.list, one), one
	}
	return all
}

// only returns the chain of a server whose chain has no name, or nil.
func (c *chains) only() *chain { return c.named[""] }

// names returns the names of the chains.
func (c *chains) names() (list []string) {
	for _, one := range c.list {
		list = append(list, one.Name)
	}
	return list
}

// at returns the chain that a context concerns, the default one if it concerns none, or nil.
func (c *chains) at(ctx context.Context) *chain {
	return cmp.Or(c.only(), c.named[cmp.Or(admit.ChainOf(ctx), c.fallback)])
}

// choose returns the chain of an operation, which may name one unless its path does.
func (c *chains) choose(ctx context.Context, named string) (*execute.Chain, *failure.Error) {
	if only := c.only(); only != nil {
		return &only.operations, nil
	}
	of := admit.ChainOf(ctx)
	if of != "" && named != "" && named != of {
		return nil, failure.BadRequest("extensions.chain: got %q at a path of %s: want none, or /graphql", failure.Brief(named, 80), of)
	}
	name := cmp.Or(of, named, c.fallback)
	known := c.named[name]
	switch {
	case name == "":
		return nil, failure.BadRequest("extensions.chain: got none, want one of %s", strings.Join(c.names(), ", "))
	case known == nil:
		return nil, failure.BadRequest("extensions.chain: got %q, want one of %s", failure.Brief(name, 80), strings.Join(c.names(), ", "))
	case c.callers != nil:
		return &known.operations, c.callers.ForChain(admit.OnChain(ctx, name))
	}
	return &known.operations, nil
}

// assign chooses the chain of a request, whose error it sets if there is none.
func (c *chains) assign(ctx context.Context, one *execute.Request) {
	var failed *failure.Error
	if one.Chain, failed = c.choose(ctx, one.Request.Chain); one.Failed == nil {
		one.Failed = failed
	}
}

// in removes the name of a chain from the path of a request, and adds it to its context.
func (c *chains) in(next http.Handler) http.Handler {
	if c.only() != nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
		if c.named[name] == nil {
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

// placed answers at paths that differ between a server with one chain and with several. patterns are those of
// next.
func (c *chains) placed(patterns []string, next http.Handler) http.Handler {
	if c.only() != nil {
		return next
	}
	known := map[string]bool{}
	for _, pattern := range patterns {
		known[strings.Split(pattern, "/")[1]] = true
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
			c.refuse(w, r, "want %s: it is the same for all chains", at)
		case of != "":
			next.ServeHTTP(w, r)
		case first == "" || first == "v1" || first == "explore":
			c.atRoot(w, r, next, first)
		case !known[first] && !strings.Contains(first, "."):
			c.refuse(w, r, "there is no chain %q: want one of %s", failure.Brief(first, 80), strings.Join(c.names(), ", "))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ofProcess are the paths at the root that no chain has too.
var ofProcess = []string{"/healthz", "/metrics"}

// atRoot answers at paths of the default chain. Without one, / lists the chains.
func (c *chains) atRoot(w http.ResponseWriter, r *http.Request, next http.Handler, first string) {
	switch {
	case c.fallback != "":
		observe.Of(r.Context()).Chain = c.fallback
		next.ServeHTTP(w, r.WithContext(context.WithValue(admit.OnChain(r.Context(), c.fallback), rootKey{}, true)))
	case first == "":
		next.ServeHTTP(w, r)
	default:
		var list []string
		for _, name := range c.names() {
			list = append(list, "/"+name+failure.Brief(r.URL.Path, 200))
		}
		c.refuse(w, r, "there is no default chain: want %s", strings.Join(list, " or "))
	}
}

// rootKey is the context key of requests for the default chain that don't name it.
type rootKey struct{}

// refuse answers that there is nothing at a path.
func (c *chains) refuse(w http.ResponseWriter, r *http.Request, format string, args ...any) {
	failed := failure.WithStatus(http.StatusNotFound, apierror.NotFound, format, args...)
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		c.sender.FailGraphQL(w, r, failed)
		return
	}
	c.sender.Fail(w, r, failed)
}

// shown returns the chain of a request as the page shows it.
func (c *chains) shown(r *http.Request) *page.Chain {
	if c.only() != nil {
		return nil
	}
	shown := &page.Chain{Name: admit.ChainOf(r.Context()), Names: c.names(), Up: "../"}
	if r.Context().Value(rootKey{}) != nil {
		shown.Up = "./"
	}
	return shown
}
