package metadata

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"mintburn/internal/nft"
)

// Queue is where tasks come from and resolutions go.
type Queue interface {
	// Claim returns at most limit tasks that are due; it does not return one
	// again before that is finished, or this process was. None means that none
	// is due.
	Claim(ctx context.Context, limit int) ([]nft.Task, error)
	// Finish stores what came of tasks, all or nothing.
	Finish(ctx context.Context, resolutions []nft.Resolution) error
}

// Worker resolves the tasks of a queue: it asks contracts for URIs, fetches
// and reads the documents, and hands back what came of it as it comes. Its
// fields must not change while it runs; the zero value of those that are
// numbers or functions means their default.
type Worker struct {
	Queue   Queue
	Caller  Caller
	Fetcher *Fetcher
	Log     *slog.Logger
	// InFlight is the most tasks that are claimed and not finished, 512 by
	// default. Most of them wait for their host's turn.
	InFlight int
	// Batch is the most tasks that are claimed at once, 100 by default.
	Batch int
	// Recheck is the age at which a document is fetched again though no event
	// says so; 0 means never.
	Recheck time.Duration
	// Poll is the time between two looks at a queue that was empty, 2 seconds
	// by default.
	Poll time.Duration
	// Progress, if not nil, is called after each group that was finished.
	Progress func(documents, failures int)
	// Now, Sleep and Random stand for the clock, except for the time to the next
	// look at the queue, and for a source of numbers in [0, 1). Sleep must return
	// ctx's error when ctx ends before d has passed.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
}

const (
	// maxGroup and maxGroupBytes bound what is finished at once: in number, and
	// in bytes of documents and URIs.
	maxGroup      = 64
	maxGroupBytes = 8 << 20
)

// Run works until ctx ends or, if once, until nothing is due and nothing is
// under way. Errors of the queue and of the caller are logged and tried again,
// with growing waits; Run itself fails only with ctx's error, and leaves
// nothing running.
func (w *Worker) Run(ctx context.Context, once bool) error {
	r := &run{Worker: w.withDefaults(), results: make(chan nft.Resolution)}
	// The order matters: what is under way is ended before it is waited for.
	defer r.working.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return r.loop(ctx, once)
}

func (w *Worker) withDefaults() Worker {
	c := *w
	c.InFlight = cmp.Or(c.InFlight, 512)
	c.Batch = cmp.Or(c.Batch, 100)
	c.Batch = min(c.Batch, c.InFlight)
	c.Poll = cmp.Or(c.Poll, 2*time.Second)
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return c
}

// run is a Worker at work.
type run struct {
	Worker
	// results takes the resolution of each task that was claimed.
	results chan nft.Resolution
	// working counts the goroutines.
	working sync.WaitGroup
	slow    slowness
}

// loop claims while there is room, and finishes what is done.
func (r *run) loop(ctx context.Context, once bool) error {
	underWay, failures := 0, 0
	// wake is nil when the queue may be asked again.
	var wake <-chan time.Time
	for {
		if wake == nil && underWay <= r.InFlight-r.Batch {
			tasks, err := r.Queue.Claim(ctx, r.Batch)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				failures++
				wait := r.wait(failures)
				r.Log.Warn("claiming tokens: trying again", "error", err, "in", wait.Round(time.Millisecond).String())
				wake = time.After(wait)
			case len(tasks) > 0:
				failures = 0
				underWay += len(tasks)
				r.working.Go(func() { r.resolve(ctx, tasks) })
				continue
			case once && underWay == 0:
				return nil
			default:
				failures = 0
				wake = time.After(r.Poll)
			}
		}
		select {
		case first := <-r.results:
			group := r.gather(first)
			if err := r.finish(ctx, group); err != nil {
				return err
			}
			underWay -= len(group)
			if once && underWay == 0 && failures == 0 {
				// The last look at the queue need not wait.
				wake = nil
			}
		case <-wake:
			wake = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resolve asks the contracts of tasks, and sends a result for each of them.
func (r *run) resolve(ctx context.Context, tasks []nft.Task) {
	answers, err := r.ask(ctx, tasks)
	if err != nil {
		return
	}
	for _, a := range answers {
		r.working.Go(func() {
			resolution, err := r.document(ctx, a)
			if err != nil {
				return
			}
			select {
			case r.results <- resolution:
			case <-ctx.Done():
			}
		})
	}
}

// ask asks until the node answers. It fails only with ctx's error.
func (r *run) ask(ctx context.Context, tasks []nft.Task) ([]answer, error) {
	for failures := 1; ; failures++ {
		answers, err := ask(ctx, r.Caller, tasks)
		if err == nil {
			return answers, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait := r.wait(failures)
		r.Log.Warn("asking contracts: trying again", "error", err, "in", wait.Round(time.Millisecond).String())
		if err := r.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// gather returns the results that are ready, up to what is finished at once.
// At full speed that makes large groups, and no result ever waits for another.
func (r *run) gather(first nft.Resolution) []nft.Resolution {
	group, bytes := []nft.Resolution{first}, size(first)
	for len(group) < maxGroup && bytes < maxGroupBytes {
		select {
		case next := <-r.results:
			group = append(group, next)
			bytes += size(next)
		default:
			return group
		}
	}
	return group
}

func size(resolution nft.Resolution) int {
	bytes := len(resolution.URI)
	if resolution.Document != nil {
		bytes += len(resolution.Document.Raw)
	}
	return bytes
}

// finish stores a group. It fails only with ctx's error.
func (r *run) finish(ctx context.Context, group []nft.Resolution) error {
	for failures := 1; ; failures++ {
		err := r.Queue.Finish(ctx, group)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait := r.wait(failures)
		r.Log.Warn("storing documents: trying again", "error", err, "in", wait.Round(time.Millisecond).String())
		if err := r.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	documents := 0
	for _, resolution := range group {
		if resolution.Document != nil {
			documents++
		}
	}
	r.Progress(documents, len(group)-documents)
	return nil
}
