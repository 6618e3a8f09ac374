package admit

import (
	"container/list"
	"net/netip"
	"sync"
)

// Cache caches values up to a number and a total weight. Each value has an owner. Above a bound,
// the owner with the most loses its least recently used value, so that no client can evict the
// values of others by sending many of its own. It is safe for concurrent use.
type Cache[V any] struct {
	maxEntries, maxWeight int

	mu           sync.Mutex // guards the fields below
	weight       int
	entries      map[string]*list.Element
	owners       map[netip.Addr]*owned
	hits, misses uint64
}

// CacheStats are the look-ups of a cache by result, the number of its values and their weight.
type CacheStats struct {
	Hits, Misses   uint64
	Entries, Bytes int
}

// Plus returns the sum of the states of two caches.
func (s CacheStats) Plus(t CacheStats) CacheStats {
	return CacheStats{s.Hits + t.Hits, s.Misses + t.Misses, s.Entries + t.Entries, s.Bytes + t.Bytes}
}

// Stats returns the look-ups and the current size.
func (l *Cache[V]) Stats() CacheStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return CacheStats{l.hits, l.misses, len(l.entries), l.weight}
}

// owned holds the values of one owner.
type owned struct {
	// order has an entry[V] for each value, the most recently used one in front.
	order  list.List
	weight int
}

type entry[V any] struct {
	key    string
	value  V
	weight int
	owner  netip.Addr
}

// NewCache returns a cache of at most so many values, whose weights are at most maxWeight
// together. The unit of weights is the caller's: usually bytes.
func NewCache[V any](maxEntries, maxWeight int) *Cache[V] {
	return &Cache[V]{maxEntries: maxEntries, maxWeight: maxWeight, entries: map[string]*list.Element{}, owners: map[netip.Addr]*owned{}}
}

// Get returns the value of a key, and whether there is one, and counts the look-up.
func (l *Cache[V]) Get(key string) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	element, ok := l.entries[key]
	if !ok {
		l.misses++
		return value, false
	}
	l.hits++
	e := element.Value.(*entry[V])
	l.owners[e.owner].order.MoveToFront(element)
	return e.value, true
}

// Put caches a value, and evicts others for it. It does nothing if the key is already cached
// or the value is heavier than the whole cache.
func (l *Cache[V]) Put(key string, value V, weight int, owner netip.Addr) {
	if weight > l.maxWeight {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.entries[key]; ok {
		return
	}
	o := l.owners[owner]
	if o == nil {
		o = &owned{}
		l.owners[owner] = o
	}
	l.entries[key] = o.order.PushFront(&entry[V]{key, value, weight, owner})
	l.weight += weight
	o.weight += weight
	for len(l.entries) > l.maxEntries || l.weight > l.maxWeight {
		l.remove(l.largest().order.Back())
	}
}

// largest returns the owner that exceeds the most: by number of values, or by weight if only
// that bound is exceeded. The caller must hold mu.
func (l *Cache[V]) largest() (most *owned) {
	byNumber := len(l.entries) > l.maxEntries
	for _, o := range l.owners {
		if most == nil || byNumber && o.order.Len() > most.order.Len() || !byNumber && o.weight > most.weight {
			most = o
		}
	}
	return most
}

// Drop removes the value of a key, if there is one.
func (l *Cache[V]) Drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element, ok := l.entries[key]; ok {
		l.remove(element)
	}
}

// remove removes a value. The caller must hold mu.
func (l *Cache[V]) remove(element *list.Element) {
	e := element.Value.(*entry[V])
	o := l.owners[e.owner]
	o.order.Remove(element)
	if o.weight -= e.weight; o.order.Len() == 0 {
		delete(l.owners, e.owner)
	}
	delete(l.entries, e.key)
	l.weight -= e.weight
}
