package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
)

// LRU is a cache of strings.
type LRU struct{ lru *lru[string] }

// NewLRU returns an empty cache.
func NewLRU(entries, weight int) LRU { return LRU{newLRU[string](entries, weight)} }

// Get returns a value, or "".
func (l LRU) Get(key string) string {
	value, _ := l.lru.get(key)
	return value
}

// Put keeps a value of an owner: an address, or "" for none.
func (l LRU) Put(key, value string, weight int, owner string) {
	// Without an owner it is the zero address.
	a, _ := netip.ParseAddr(owner)
	l.lru.put(key, value, weight, a)
}

// Drop forgets a value.
func (l LRU) Drop(key string) { l.lru.drop(key) }

// BatchWidth is how many operations of a batch run at once.
const BatchWidth = batchWidth

// MemoryBudget is memory for buffers.
type MemoryBudget struct{ budget *memoryBudget }

// NewMemoryBudget returns memory of a size.
func NewMemoryBudget(size int64) MemoryBudget {
	return MemoryBudget{newMemoryBudget(size, &clients{})}
}

// Hold takes memory for a new buffer of a client and reports whether it was
// there.
func (m MemoryBudget) Hold(client string, n int) (drop func(), ok bool) {
	b := m.budget.buffer(&http.Request{RemoteAddr: client})
	ok = m.budget.take(b, n)
	return func() { m.budget.drop(b) }, ok
}

// AnswerSize returns what bounds the operations of a client's request, and what
// ends them.
func (m MemoryBudget) AnswerSize(client string, most int) (operation func() fastql.Growth, release func()) {
	a := m.budget.answerSize(&http.Request{RemoteAddr: client}, most)
	return func() fastql.Growth { return a.operation() }, a.release
}

// Used is the memory that is taken.
func (m MemoryBudget) Used() int64 {
	m.budget.mu.Lock()
	defer m.budget.mu.Unlock()
	return m.budget.used
}

// NewWithBudget is [New], with the GraphQL endpoint only, in so much memory.
func NewWithBudget(c Config, size int64) (handler http.Handler, used func() int64, err error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, nil, err
	}
	e.budget = newMemoryBudget(size, e.clients)
	return e, MemoryBudget{e.budget}.Used, nil
}

// Limiter lets operations run.
type Limiter struct{ limiter *limiter }

// NewLimiter returns a limiter with numbers of slots.
func NewLimiter(slots, largeSlots int, maxWait time.Duration) Limiter {
	l := newLimiter(slots, maxWait, newLimiterMetrics(promauto.With(nil)))
	l.largeSlots = largeSlots
	return Limiter{l}
}

// LargeSlots is how many of so many slots are for large operations.
func LargeSlots(slots int) int {
	return newLimiter(slots, 0, newLimiterMetrics(promauto.With(nil))).largeSlots
}

// Slot is what an operation runs in.
type Slot struct {
	slot   slot
	Failed string
}

// Enter waits for a slot for an operation of a cost.
func (l Limiter) Enter(ctx context.Context, client string, cost int) *Slot {
	taken := &Slot{}
	var failed *requestError
	if taken.slot, failed = l.limiter.enterFor(ctx, netip.MustParseAddr(client), cost); failed != nil {
		taken.Failed = failed.errors[0].Message
	}
	return taken
}

// Leave gives the slot back.
func (s *Slot) Leave() { s.slot.leave() }

// Waiting is how many operations wait.
func (l Limiter) Waiting() int { return l.limiter.waiting() }

// Running is how many operations run.
func (l Limiter) Running() int {
	l.limiter.mu.Lock()
	defer l.limiter.mu.Unlock()
	return l.limiter.running
}

// Flows is how many clients are known.
func (l Limiter) Flows() int { return len(l.limiter.flows) }

// What limiters are bound by.
const (
	LargeCost  = largeCost
	MaxWaiting = maxWaiting
	MaxFlows   = maxFlows
)

// ClientOf returns the client of a request behind trusted proxies.
func ClientOf(r *http.Request, log *slog.Logger, proxies ...string) (string, error) {
	c, err := newClients(proxies, log)
	if err != nil {
		return "", err
	}
	return c.of(r).String(), nil
}

// Reading reads documents as the endpoint does.
type Reading struct{ documents *queryCache }

// NewReading returns a reader with empty caches.
func NewReading(schema *ast.Schema, limits Limits) Reading {
	return Reading{newQueryCache(schema, nil, true, limits)}
}

// Read returns the cost of a document's operation, or why it is failed.
func (r Reading) Read(text string, variables map[string]any) (cost int, code any, message string) {
	failed := func(why *requestError) (int, any, string) {
		return 0, why.errors[0].Extensions["code"], why.errors[0].Message
	}
	read, why := r.documents.read(text, netip.Addr{}, free)
	if why != nil {
		return failed(why)
	}
	operation, why := read.operation("")
	if why != nil {
		return failed(why)
	}
	values, why := r.documents.coerce(context.Background(), operation, variables)
	if why != nil {
		return failed(why)
	}
	return meter{newPrices(r.documents.schema), r.documents.limits.PageSize, values}.cost(operation), nil, ""
}

// Kept is how many documents are kept.
func (r Reading) Kept() int {
	r.documents.cache.mu.Lock()
	defer r.documents.cache.mu.Unlock()
	return len(r.documents.cache.entries)
}

// The arithmetic of costs.
var (
	Plus  = plus
	Times = times
)

// MostCost is the largest cost.
const MostCost = mostCost

// NewPage is [Page] over other assets than the embedded ones.
var NewPage = newPage

// StatusOf is the status of a code.
var StatusOf = statusOf

// RoutePaths returns the paths of the REST routes.
func RoutePaths() (list []string) {
	for _, to := range routes() {
		list = append(list, "/v1/"+strings.Join(to.path, "/"))
	}
	return list
}
