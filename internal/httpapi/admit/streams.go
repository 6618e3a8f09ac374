package admit

import (
	"context"
	"net/netip"
	"sync"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
)

// Streams bounds the open streams: answers that end when the client or the server ends them. It
// is safe for concurrent use.
type Streams struct {
	// Max is how many streams may be open, PerClient how many of one client. They do not change.
	Max, PerClient int
	// Stopping ends when the server stops: all streams then end at once.
	Stopping context.Context

	mu sync.Mutex // guards the fields below
	// open counts the streams of each client, and count all of them.
	open  map[netip.Addr]int
	count int
	// pending counts the work that [http.Server] does not wait for; ended, if set, is closed when
	// there is none.
	pending int
	ended   chan struct{}
}

// NewStreams returns streams without an open one.
func NewStreams(stopping context.Context, most, perClient int) *Streams {
	return &Streams{Max: most, PerClient: perClient, Stopping: stopping, open: map[netip.Addr]int{}}
}

// Open opens a stream of a client. The caller must call leave. Open returns an error with status
// 429 or 503 beyond a limit, and while the server stops.
func (s *Streams) Open(client netip.Addr) (leave func(), failed *failure.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.Stopping.Err() != nil:
		return nil, failure.Unavailable()
	case s.open[client] >= s.PerClient:
		return nil, failure.WithStatus(429, apierror.RateLimited, "the client has %d open subscriptions: want at most %d", s.open[client], s.PerClient)
	case s.count >= s.Max:
		return nil, failure.Busy("too many subscriptions")
	}
	s.open[client]++
	s.count++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count--
		if s.open[client]--; s.open[client] == 0 {
			delete(s.open, client)
		}
	}, nil
}

// Count returns the number of open streams.
func (s *Streams) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Begin notes work that [http.Server] does not wait for, until leave is called.
func (s *Streams) Begin() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pending--; s.pending == 0 && s.ended != nil {
			close(s.ended)
			s.ended = nil
		}
	}
}

// Wait waits until the work of [Streams.Begin] has ended, or ctx ends.
func (s *Streams) Wait(ctx context.Context) {
	s.mu.Lock()
	if s.pending == 0 {
		s.mu.Unlock()
		return
	}
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	ended := s.ended
	s.mu.Unlock()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
