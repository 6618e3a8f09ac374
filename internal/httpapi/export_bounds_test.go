package httpapi

import (
	"net/http"
	"net/netip"
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
func (m MemoryBudget) AnswerSize(client string, most int) (operation func() Growth, release func()) {
	a := m.budget.answerSize(&http.Request{RemoteAddr: client}, most)
	return func() Growth { return a.operation() }, a.release
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
