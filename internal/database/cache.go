package database

import "sync"

// Cache holds a limited number of values by key. When it is full, it drops all of them.
// It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most  int
	mu    sync.RWMutex // guards known
	known map[K]V
}

// NewCache returns an empty cache for at most this many values.
func NewCache[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: most, known: map[K]V{}}
}

// Find returns the value of a key and whether it was found.
func (c *Cache[K, V]) Find(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok := c.known[key]
	return value, ok
}

// Put adds or replaces a value.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= c.most {
		clear(c.known)
	}
	c.known[key] = value
}
