package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/httpapi/watch"
	"mintburn/internal/testing/expect"
)

// log is a log of changes whose mark is a number.
type log struct {
	number atomic.Int64
	failed atomic.Bool

	mu    sync.Mutex // guards times
	times []time.Time
}

func (l *log) last(context.Context) (watch.Mark, error) {
	l.mu.Lock()
	l.times = append(l.times, time.Now())
	l.mu.Unlock()
	if l.failed.Load() {
		return watch.Mark{}, errors.New("no connection")
	}
	return watch.Mark{Number: l.number.Load()}, nil
}

// queries returns how often the mark was read.
func (l *log) queries() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.times)
}

// TestWait lets many requests wait for one change. The bubble ends only if no goroutine remains.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l log
		w := watch.New(l.last, slog.New(slog.DiscardHandler))
		since := w.Now()
		var woken atomic.Int32
		for range 10_000 {
			go func() {
				now, err := w.Wait(t.Context(), since)
				if err != nil || now.Number != 1 {
					t.Errorf("got the mark %v and the error %v, want 1", now, err)
				}
				woken.Add(1)
			}()
		}
		<-time.After(time.Minute)
		expect.Equal(t, "requests woken without a change", 0, int(woken.Load()))
		if got := l.queries(); got > int(time.Minute/watch.Every)+1 {
			t.Errorf("%d queries in a minute, want one every %s", got, watch.Every)
		}
		l.number.Store(1)
		<-time.After(watch.Every)
		synctest.Wait()
		expect.Equal(t, "woken requests", 10_000, int(woken.Load()))
		before := l.queries()
		<-time.After(time.Minute)
		expect.Equal(t, "queries while nobody waits", before, l.queries())
	})
}

// TestMissed changes the log while no request waits, and before the first one does.
func TestMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l log
		w := watch.New(l.last, slog.New(slog.DiscardHandler))
		since := w.Now()
		for n := range int64(3) {
			l.number.Store(n + 1)
			now, err := w.Wait(t.Context(), since)
			expect.NoError(t, err)
			expect.Equal(t, "mark", watch.Mark{Number: n + 1}, now)
			expect.Equal(t, "mark without a query", now, w.Now())
			since = now
		}
	})
}

// TestPace lets requests come and go. The queries keep their distance.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l log
		w := watch.New(l.last, slog.New(slog.DiscardHandler))
		for range 1_000 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			if _, err := w.Wait(ctx, w.Now()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got the error %v, want the end of the context", err)
			}
			cancel()
		}
		if l.queries() < 10 {
			t.Errorf("%d queries in 10 s: requests that come and go never look", l.queries())
		}
		for i := 1; i < len(l.times); i++ {
			if between := l.times[i].Sub(l.times[i-1]); between < watch.Every {
				t.Fatalf("%s between two queries, want %s", between, watch.Every)
			}
		}
	})
}

// TestOutage lets the queries fail for a while: the log has one line for it, and the request gets
// the change afterwards.
func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l log
		var lines bytes.Buffer
		w := watch.New(l.last, slog.New(slog.NewTextHandler(&lines, nil)))
		got := make(chan watch.Mark)
		go func() {
			now, _ := w.Wait(t.Context(), w.Now())
			got <- now
		}()
		for range 2 {
			l.failed.Store(true)
			<-time.After(time.Minute)
			l.failed.Store(false)
			<-time.After(time.Minute)
		}
		expect.Equal(t, "log lines of two outages", 2, strings.Count(lines.String(), "no connection"))
		l.number.Store(7)
		expect.Equal(t, "mark", watch.Mark{Number: 7}, <-got)
	})
}
