package store

import "sync"

// cache keeps at most a number of values by key; when it is full, it begins anew.
// It is safe for concurrent use.
type cache[K comparable, V any] struct {
	most  int
	mu    sync.RWMutex // guards known
	known map[K]V
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, known: map[K]V{}}
}

// find returns the value of a key, and whether there is one.
func (c *cache[K, V]) find(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.known[key]
	return value, ok
}

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= c.most {
		clear(c.known)
	}
	c.known[key] = value
}
