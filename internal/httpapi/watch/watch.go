package watch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mintburn/internal/retrying"
)

// Every is the time between two queries, and so the maximum delay of a notice.
const Every = 100 * time.Millisecond

// queryTime bounds a query. A lost connection may never answer.
const queryTime = 5 * time.Second

// Mark is a state of the log of changes. Equal marks are the same state, and the zero value is
// that of an empty log.
type Mark struct{ Number, Nonce int64 }

// Watch observes the log of changes on behalf of the requests that wait. It is safe for
// concurrent use.
type Watch struct {
	last func(context.Context) (Mark, error)
	log  *slog.Logger

	mu sync.Mutex // guards the fields below
	// now is the last mark that was read.
	now Mark
	// changed is closed when now changes.
	changed chan struct{}
	// waiting counts the requests that wait. stop ends the queries for them.
	waiting int
	stop    func()
	// next is the earliest time of the next query.
	next time.Time
	// failing is set while the queries fail.
	failing bool
}

// New returns a watch of the mark that last returns. It logs errors of last.
func New(last func(context.Context) (Mark, error), log *slog.Logger) *Watch {
	return &Watch{last: last, log: log, changed: make(chan struct{})}
}

// Now returns the last mark that was read, without a query. It may be out of date, because
// nothing is read while no request waits: a request that reads its changes after it has called
// Now, and then calls [Watch.Wait] with the mark, misses none.
func (w *Watch) Now() Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Wait waits until the mark differs from since, which Now or Wait returned, and returns it. It
// returns ctx's error if ctx ends earlier.
func (w *Watch) Wait(ctx context.Context, since Mark) (Mark, error) {
	w.enter() //nolint:contextcheck // The queries continue for other requests when ctx ends.
	defer w.leave()
	for {
		w.mu.Lock()
		now, changed := w.now, w.changed
		w.mu.Unlock()
		if now != since {
			return now, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}

// enter adds a request. The first one starts the queries.
func (w *Watch) enter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting > 1 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.run(ctx) })
	w.stop = func() {
		cancel()
		running.Wait()
	}
}

// leave removes a request. The last one ends the queries.
func (w *Watch) leave() {
	stop := func() {}
	w.mu.Lock()
	if w.waiting--; w.waiting == 0 {
		stop = w.stop
	}
	w.mu.Unlock()
	stop()
}

// run reads the mark until ctx ends.
func (w *Watch) run(ctx context.Context) {
	for {
		w.mu.Lock()
		pause := time.Until(w.next)
		w.mu.Unlock()
		if retrying.Sleep(ctx, pause) != nil {
			return
		}
		bounded, cancel := context.WithTimeout(ctx, queryTime)
		began := time.Now()
		mark, err := w.last(bounded)
		cancel()
		if !w.note(ctx, mark, err, began.Add(Every)) {
			return
		}
	}
}

// note records the result of a query, and wakes the requests if the mark changed. It returns
// false if ctx has ended.
func (w *Watch) note(ctx context.Context, mark Mark, err error, next time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = next
	switch {
	case ctx.Err() != nil:
		// The queries for later requests may have read a later mark.
		return false
	case err != nil && !w.failing:
		w.log.WarnContext(ctx, "looking for changes failed: trying again", "error", err)
	case err == nil && mark != w.now:
		w.now = mark
		close(w.changed)
		w.changed = make(chan struct{})
	}
	w.failing = err != nil
	return true
}
