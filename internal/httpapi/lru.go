package httpapi

import (
	"container/list"
	"sync"
)

// lru keeps the values that were used last, within a number and a weight. It
// is safe for concurrent use.
type lru[V any] struct {
	maxEntries, maxWeight int

	// mu guards what follows.
	mu      sync.Mutex
	weight  int
	entries map[string]*list.Element
	// order has an entry[V] for each value, the one used last in front.
	order list.List
}

type entry[V any] struct {
	key    string
	value  V
	weight int
}

func newLRU[V any](maxEntries, maxWeight int) *lru[V] {
	return &lru[V]{maxEntries: maxEntries, maxWeight: maxWeight, entries: map[string]*list.Element{}}
}

// get returns the value of a key.
func (l *lru[V]) get(key string) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	element, ok := l.entries[key]
	if !ok {
		return value, false
	}
	l.order.MoveToFront(element)
	return element.Value.(entry[V]).value, true
}

// put keeps a value, unless it is too heavy to be kept at all; others go.
func (l *lru[V]) put(key string, value V, weight int) {
	if weight > l.maxWeight {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.entries[key]; ok {
		return
	}
	l.entries[key] = l.order.PushFront(entry[V]{key, value, weight})
	l.weight += weight
	for len(l.entries) > l.maxEntries || l.weight > l.maxWeight {
		l.remove(l.order.Back())
	}
}

// drop forgets the value of a key.
func (l *lru[V]) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element, ok := l.entries[key]; ok {
		l.remove(element)
	}
}

// remove forgets a value; the caller must hold mu.
func (l *lru[V]) remove(element *list.Element) {
	gone := l.order.Remove(element).(entry[V])
	delete(l.entries, gone.key)
	l.weight -= gone.weight
}
