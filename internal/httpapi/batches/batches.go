package batches

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/httpapi/watch"
)

const (
	// retryTime is the pause of a subscription after an error that may pass.
	retryTime = time.Second
	// cachedBatches and cachedBatchBytes bound the batches that are shared.
	cachedBatches, cachedBatchBytes = 1_000, 16 << 20
)

// Config has what the subscriptions of a server share with its other requests.
type Config struct {
	// Chain is the name of the chain whose changes they read.
	Chain    string
	Executor *execute.Executor
	// Changes wakes the subscriptions. Streams counts them, and ends them when the server stops.
	Changes *watch.Watch
	Streams *admit.Streams
	Times   subscribe.Times
	// Timeout is the maximum duration of one batch.
	Timeout time.Duration
}

// Batches runs the executions of a chain's subscriptions, each once for all subscriptions that read the
// same.
type Batches struct {
	Config
	flights singleflight.Group
	cache   *admit.Cache[*execute.Batch]
	// running bounds the executions. They wait here, because a change wakes more subscriptions
	// than the limiter lets wait.
	running *semaphore.Weighted
}

// New returns batches for a chain where so many operations run at once.
func New(c Config, slots int) *Batches {
	return &Batches{Config: c, cache: admit.NewCache[*execute.Batch](cachedBatches, cachedBatchBytes), running: semaphore.NewWeighted(int64(max(1, slots/2)))}
}

// Sink receives the batches of a subscription. An error means that the client is gone.
type Sink interface {
	Next(text []byte) error
	Beat() error
}

// Subscribe sends the batches of a subscription until ctx ends, the client is gone, or an error
// ends it. After the first batch, it waits until an error that may pass is gone.
func (a *Batches) Subscribe(ctx context.Context, s *execute.Subscription, to Sink) *failure.Error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.Streams.Stopping, cancel)() //nolint:contextcheck // Two contexts end it.
	if a.Chain != "" {
		ctx = admit.OnChain(ctx, a.Chain)
	}
	mark := a.Changes.Now()
	for first, paid := true, false; ctx.Err() == nil; {
		b := &execute.Batch{Failed: a.pay(ctx, s.Cost, paid)}
		if b.Failed == nil {
			// A batch that is not delivered is not charged, unless it was searched for.
			paid = true
			b = a.next(ctx, s, mark)
		}
		switch {
		case b == nil:
			return nil
		case b.Failed != nil && (first || !b.Failed.Passes()):
			return b.Failed
		case b.Failed != nil:
			select {
			case <-time.After(retryTime):
			case <-ctx.Done():
			}
			if to.Beat() != nil {
				return nil
			}
			continue
		}
		s.After = b.Next
		if first || b.Count > 0 {
			if to.Next(b.Text) != nil {
				return nil
			}
			first, paid = false, false
		} else if b.Scanned > 0 {
			paid = false
		}
		if b.More {
			continue
		}
		if ok, failed := a.Wait(ctx, to, &mark); !ok {
			return failed
		}
	}
	return nil
}

// pay charges for a batch, unless it is paid, if the client's key is still valid.
func (a *Batches) pay(ctx context.Context, cost int, paid bool) *failure.Error {
	if a.Executor.Callers == nil {
		return nil
	}
	// The client's quota may have changed too.
	ctx, failed := a.Executor.Callers.Renew(ctx)
	if failed != nil || paid {
		return failed
	}
	return a.Executor.Callers.Charge(ctx, cost)
}

// Wait waits until the mark changes. ok is false once ctx has ended or the client is gone, and an
// error is that of a key that is no longer valid.
func (a *Batches) Wait(ctx context.Context, to Sink, mark *watch.Mark) (ok bool, failed *failure.Error) {
	for beat := time.Now().Add(a.Times.Beat); ; {
		pause := time.Until(beat)
		if a.Executor.Callers != nil {
			pause = min(pause, a.Times.Key)
		}
		bounded, cancel := context.WithTimeout(ctx, pause)
		now, err := a.Changes.Wait(bounded, *mark)
		cancel()
		*mark = now
		switch failed = a.pay(ctx, 0, true); {
		case failed != nil, err == nil:
			return failed == nil, failed
		case ctx.Err() != nil:
			return false, nil
		case time.Now().Before(beat):
			continue
		case to.Beat() != nil:
			return false, nil
		}
		beat = time.Now().Add(a.Times.Beat)
	}
}

// next returns the next batch of a subscription, which read the log of changes up to mark or
// further, or nil once ctx has ended.
func (a *Batches) next(ctx context.Context, s *execute.Subscription, mark watch.Mark) *execute.Batch {
	b := a.shared(ctx, s, mark)
	if b == nil || b.Failed == nil || b.Failed.Status != http.StatusServiceUnavailable || failure.CodeOf(b.Failed.Errors[0]) != string(apierror.RateLimited) {
		return b
	}
	// The share of what is shared is used up, but that of the client may not be.
	defer a.Streams.Begin()()
	bounded, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	if b = a.read(bounded, s, s.Client); ctx.Err() != nil {
		return nil
	}
	return b
}

// shared is [Batches.next], which subscriptions that read the same share. It runs for a
// client of its own, so that none of theirs delays it for all.
func (a *Batches) shared(ctx context.Context, s *execute.Subscription, mark watch.Mark) *execute.Batch {
	id, first := s.Rest, s.After == ""
	if first {
		id = s.First
	}
	key := fmt.Sprintf("%s%d %d %s", id, mark.Number, mark.Nonce, s.After)
	// In a goroutine of its own, a batch does not make the stack of the waiting one grow. The
	// function returns no error, and does not panic.
	shared := a.flights.DoChan(key, func() (any, error) {
		if known, ok := a.cache.Get(key); ok {
			return known, nil
		}
		// The database must not be closed meanwhile.
		defer a.Streams.Begin()()
		// Others may wait for the batch when this client is gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Timeout)
		defer cancel()
		b := a.read(ctx, s, admit.Shared())
		// A first batch has the cursor of now, and the mark may be out of date.
		if b.Failed == nil && !first {
			a.cache.Put(key, b, len(b.Text)+len(key), s.Client)
		}
		return b, nil
	})
	select {
	case done := <-shared:
		return done.Val.(*execute.Batch)
	case <-ctx.Done():
		return nil
	}
}

// read runs a subscription in a slot of a client.
func (a *Batches) read(ctx context.Context, s *execute.Subscription, client netip.Addr) *execute.Batch {
	// The others must not wait for a node.
	if !s.Proofs {
		if failed := a.Enter(ctx); failed != nil {
			return &execute.Batch{Failed: failed}
		}
		defer a.Leave()
	}
	return a.Executor.Batch(ctx, s, client)
}

// Enter waits until the execution of a request that a change may have woken may begin. If it returns
// no error, the caller must call [Batches.Leave] at its end.
func (a *Batches) Enter(ctx context.Context) *failure.Error {
	if a.running.Acquire(ctx, 1) != nil {
		return failure.Busy("too many operations run")
	}
	return nil
}

// Leave ends an execution.
func (a *Batches) Leave() { a.running.Release(1) }

// Stats returns the state of the cache of shared batches.
func (a *Batches) Stats() admit.CacheStats { return a.cache.Stats() }
