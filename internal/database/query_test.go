package database

import (
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	const most = 100
	c := NewCache[int, int](most)
	if _, found := c.Find(1); found {
		t.Error("found in an empty cache")
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for key := range 10 * most {
				c.Put(key, -key)
				if value, found := c.Find(key / 2); found && value != -key/2 {
					t.Errorf("key %d: got %d", key/2, value)
				}
			}
		})
	}
	group.Wait()
	// The size stays bounded.
	if n := len(c.known); n == 0 || n > most {
		t.Errorf("got %d values, want 1 to %d", n, most)
	}
	c.Put(3, 7)
	if value, found := c.Find(3); !found || value != 7 {
		t.Errorf("got %d, %t for the last key", value, found)
	}
}
