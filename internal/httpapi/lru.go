package httpapi

import (
	"container/list"
	"net/netip"
	"sync"
)

// lru caches values within a number and a weight. Each has an owner. Beyond a
// bound, the owner with the most loses its least recently used value, so that no
// client evicts the values of others by sending many of its own. It is safe for
// concurrent use.
type lru[V any] struct {
	maxEntries, maxWeight int

	mu      sync.Mutex // guards what follows
	weight  int
	entries map[string]*list.Element
	owners  map[netip.Addr]*owned
}

// owned has the values of one owner.
type owned struct {
	// order has an entry[V] for each value, the last used one in front.
	order  list.List
	weight int
}

type entry[V any] struct {
	key    string
	value  V
	weight int
	owner  netip.Addr
}

func newLRU[V any](maxEntries, maxWeight int) *lru[V] {
	return &lru[V]{maxEntries: maxEntries, maxWeight: maxWeight, entries: map[string]*list.Element{}, owners: map[netip.Addr]*owned{}}
}

// get returns the value of a key.
func (l *lru[V]) get(key string) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	element, ok := l.entries[key]
	if !ok {
		return value, false
	}
	e := element.Value.(*entry[V])
	l.owners[e.owner].order.MoveToFront(element)
	return e.value, true
}

// put caches a value unless it is heavier than the whole cache. Others are
// evicted for it. The first value of a key stays.
func (l *lru[V]) put(key string, value V, weight int, owner netip.Addr) {
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

// largest returns the owner with the most values, or the heaviest, by the bound
// that is exceeded. The caller must hold mu.
func (l *lru[V]) largest() (most *owned) {
	byNumber := len(l.entries) > l.maxEntries
	for _, o := range l.owners {
		if most == nil || byNumber && o.order.Len() > most.order.Len() || !byNumber && o.weight > most.weight {
			most = o
		}
	}
	return most
}

// drop removes the value of a key.
func (l *lru[V]) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element, ok := l.entries[key]; ok {
		l.remove(element)
	}
}

// remove removes a value. The caller must hold mu.
func (l *lru[V]) remove(element *list.Element) {
	e := element.Value.(*entry[V])
	o := l.owners[e.owner]
	o.order.Remove(element)
	if o.weight -= e.weight; o.order.Len() == 0 {
		delete(l.owners, e.owner)
	}
	delete(l.entries, e.key)
	l.weight -= e.weight
}
