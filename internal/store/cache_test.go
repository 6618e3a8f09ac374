package store

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	const most = 100
	c := newCache[int, int](most)
	if _, found := c.find(1); found {
		t.Error("found in an empty cache")
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for key := range 10 * most {
				c.put(key, -key)
				if value, found := c.find(key / 2); found && value != -key/2 {
					t.Errorf("key %d: got %d", key/2, value)
				}
			}
		})
	}
	group.Wait()
	// However many come, it stays small.
	if n := len(c.known); n == 0 || n > most {
		t.Errorf("got %d values, want 1 to %d", n, most)
	}
	c.put(3, 7)
	if value, found := c.find(3); !found || value != 7 {
		t.Errorf("got %d, %t for what was put last", value, found)
	}
}
