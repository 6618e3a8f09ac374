package httpapi

import (
	"context"
	"net/http"
	"time"
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

// Put keeps a value.
func (l LRU) Put(key, value string, weight int) { l.lru.put(key, value, weight) }

// Drop forgets a value.
func (l LRU) Drop(key string) { l.lru.drop(key) }

// Gate lets operations in.
type Gate struct{ gate *gate }

// NewGate returns a gate with a number of places.
func NewGate(places int, patience time.Duration) Gate { return Gate{newGate(places, patience)} }

// Enter returns why an operation may not enter, or "".
func (g Gate) Enter(ctx context.Context) string {
	if refused := g.gate.enter(ctx); refused != nil {
		return refused.errors[0].Message
	}
	return ""
}

// Leave leaves a place.
func (g Gate) Leave() { g.gate.leave() }

// Waiting is how many operations wait.
func (g Gate) Waiting() int { return int(g.gate.waiting.Load()) }

// BatchWidth is how many operations of a batch run at once.
const BatchWidth = batchWidth

// WaitingFor is how many may wait for each place.
const WaitingFor = waitingFor

// Room is memory for buffers.
type Room struct{ room *room }

// NewRoom returns memory of a size.
func NewRoom(size int64) Room { return Room{newRoom(size)} }

// Hold takes memory for a new buffer and reports whether it was there.
func (r Room) Hold(n int) (drop func(), ok bool) {
	b := r.room.buffer()
	ok = r.room.take(b, n)
	return func() { r.room.drop(b) }, ok
}

// Used is the memory that is taken.
func (r Room) Used() int64 { return r.room.used.Load() }

// NewWithRoom is [New], with the GraphQL endpoint only, in so much memory.
func NewWithRoom(c Config, size int64) (handler http.Handler, used func() int64, err error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, nil, err
	}
	e.room = newRoom(size)
	return e, e.room.used.Load, nil
}
