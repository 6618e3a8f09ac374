package command_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
)

// load reads from a server without pauses. The test fails if a read fails while the database
// is up, or if a read fails with another error than UNAVAILABLE while it is down.
type load struct {
	t      testing.TB
	server *server
	// stop ends the reads.
	stop func()

	// mu guards the fields below.
	mu sync.Mutex
	// gone is true while the database is down, outage counts its outages.
	gone   bool
	outage int
	// reads counts all reads, unavailable those that failed while the database was down.
	reads, unavailable int
	// final contains the hash of each block that was the last finalized one.
	final map[int]string
	// back is the time of the first successful read after the last failed one.
	back time.Time
}

// readers is the number of concurrent reads.
const readers = 2

func newLoad(t testing.TB, s *server) *load {
	ctx, end := context.WithCancel(t.Context())
	l := &load{t: t, server: s, final: map[int]string{}}
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for last := 0; ctx.Err() == nil; {
				last = l.read(ctx, last)
			}
		})
	}
	l.stop = sync.OnceFunc(func() {
		end()
		reading.Wait()
		t.Logf("%d reads, of which %d found that the database was away", l.reads, l.unavailable)
	})
	// Cleanup runs this before the server stops.
	t.Cleanup(l.stop)
	return l
}

// read reads once, and returns the number of the last finalized block. last is the number
// that the previous read returned.
func (l *load) read(ctx context.Context, last int) int {
	const query = `{ chain { head { number } finalized { number hash } } mints(first: 100) { totalItems data { id metadata { name } } } burns(last: 50) { data { id } } }`
	l.mu.Lock()
	before, gone := l.outage, l.gone
	l.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.Base+"/graphql", strings.NewReader(apitest.Request(query, "")))
	if err != nil {
		l.t.Error(err)
		return last
	}
	r.Header.Set("Content-Type", apitest.JSON)
	status, body := 0, ""
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		var text []byte
		text, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		status, body = response.StatusCode, string(text)
	}
	if ctx.Err() != nil {
		return last
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	switch away := gone || l.gone || l.outage != before; {
	case err == nil && status == http.StatusOK && !strings.Contains(body, `"errors"`):
		if l.back.IsZero() {
			l.back = time.Now()
		}
	case away && status == http.StatusServiceUnavailable && strings.Contains(body, `"UNAVAILABLE"`):
		l.unavailable++
		l.back = time.Time{}
		return last
	default:
		l.t.Errorf("a read failed (database away: %t): %v, status %d, %.300s", away, err, status, body)
		return last
	}
	var answer struct {
		Data struct {
			Chain struct {
				Finalized struct {
					Number int
					Hash   string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		l.t.Errorf("%v in %.300s", err, body)
		return last
	}
	now := answer.Data.Chain.Finalized
	if hash, known := l.final[now.Number]; known && hash != now.Hash || now.Number < last {
		l.t.Errorf("the last finalized block is %d %s, after %d; its hash was %q before", now.Number, now.Hash, last, hash)
	}
	l.final[now.Number] = now.Hash
	return now.Number
}

// away runs f, which takes the database down and brings it back.
func (l *load) away(f func()) {
	l.mu.Lock()
	l.gone = true
	l.outage++
	l.mu.Unlock()
	f()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = false
}

// await waits for this many more reads.
func (l *load) await(more int) {
	goal := l.count(&l.reads) + more
	until(l.t, func() bool { return l.count(&l.reads) >= goal })
}

// awaitUnavailable waits until a read has failed.
func (l *load) awaitUnavailable() {
	before := l.count(&l.unavailable)
	until(l.t, func() bool { return l.count(&l.unavailable) > before })
}

// awaitAvailable waits until a read has succeeded after the last failed one, and returns
// its time.
func (l *load) awaitAvailable() (at time.Time) {
	until(l.t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		at = l.back
		return !at.IsZero()
	})
	return at
}

func (l *load) count(n *int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *n
}
