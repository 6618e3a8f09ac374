package database

import (
	"context"
	"sync"
)

// shared holds the results of reads that are shared, by key.
type shared struct {
	mu    sync.Mutex
	byKey map[any]*result
}

// result is the result of a shared read.
type result struct {
	// done is closed when value and err are set.
	done  chan struct{}
	value any
	err   error
	// waiting is the number of readers on PostgreSQL that wait for it.
	waiting int
}

// get implements [Shared]. g is nil on SQLite.
func (s *shared) get(ctx context.Context, g *gathered, key any, read func(ctx context.Context) (any, error)) *result {
	one, first := s.of(ctx, g, key)
	if first {
		func() {
			defer s.complete(ctx, g, key, one)
			one.value, one.err = read(ctx)
		}()
	}
	<-one.done
	return one
}

// forget drops the results.
func (s *shared) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.byKey)
}

// of returns the result for a key. first reports that the caller has to read it.
func (s *shared) of(ctx context.Context, g *gathered, key any) (one *result, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, found := s.byKey[key]
	if !found {
		one = &result{done: make(chan struct{})}
		if s.byKey == nil {
			s.byKey = map[any]*result{}
		}
		s.byKey[key] = one
		return one, true
	}
	select {
	case <-one.done:
	default:
		if g != nil && g.readerOf(ctx) != nil {
			// The result may need a round trip, which must not wait for the caller.
			one.waiting++
			g.leave(ctx, 1)
		}
	}
	return one, false
}

// complete ends the read of a result; it must be deferred.
func (s *shared) complete(ctx context.Context, g *gathered, key any, one *result) {
	if cause := recover(); cause != nil {
		one.err = panicked{cause}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.err != nil {
		delete(s.byKey, key)
	}
	if one.waiting > 0 {
		g.leave(ctx, -one.waiting)
	}
	close(one.done)
}
