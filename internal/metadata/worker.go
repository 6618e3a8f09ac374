package metadata

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"mintburn/internal/nft"
	"mintburn/internal/retrying"
)

// Queue holds the tokens whose documents are due.
type Queue interface {
	// Claim returns at most limit tasks that are due, possibly none, all of tokens or all of
	// collections. It does not return a task again before the task is finished or this process
	// has ended.
	Claim(ctx context.Context, limit int) ([]nft.Task, error)
	// Finish stores all resolutions or, if it fails, none.
	Finish(ctx context.Context, resolutions []nft.Resolution) error
}

// Worker resolves the tasks of a queue. It calls contracts for URIs, fetches and
// reads the documents, and stores each resolution as soon as it is known. The fields
// must not change while the worker runs. The zero value of a number or function means
// its default.
type Worker struct {
	Queue   Queue
	Caller  Caller
	Fetcher *Fetcher
	Log     *slog.Logger
	// InFlight is the maximum number of claimed tasks that are not finished, 512 by
	// default. Most of them wait for the limits of their host. Once it is reached, those that
	// wait for the hosts with the most tasks go back to the queue, so that each host has its
	// turn.
	InFlight int
	// Batch is the maximum number of tasks per claim, 100 by default.
	Batch int
	// Recheck is the age at which a document is fetched again without an event;
	// 0 means never.
	Recheck time.Duration
	// Poll is the time between claims while the queue is empty, 2 seconds by default.
	Poll time.Duration
	// Lost, if not nil, reports whether an error means that the queue is unreachable. The
	// next attempt then follows within a second.
	Lost func(error) bool
	// Fatal, if not nil, reports whether an error of the queue must end Run.
	Fatal func(error) bool
	// MaxStall, unless 0, is the sum of pauses after which Run ends if the contracts can't be
	// called.
	MaxStall time.Duration
	// Progress, if not nil, is called after each finished group.
	Progress func(documents, failures int)
	// Panicked, if not nil, is called after each panic. Panics are retried like
	// errors.
	Panicked func()
	// Clock replaces the clock, except for the delay before the next claim.
	retrying.Clock
}

const (
	// maxGroup and maxGroupBytes bound the number of resolutions that are finished at
	// once, and the bytes of their documents and URIs.
	maxGroup      = 64
	maxGroupBytes = 8 << 20
	// maxFull is how long no task may be claimed because InFlight is reached. Then tasks that
	// wait for the hosts with the most tasks go back to the queue.
	maxFull = 2 * time.Second
)

// Run works until ctx ends or, if once is set, until no task is due or in progress. It logs
// errors and panics of the queue and the caller, and retries with growing delays. Run fails
// only with ctx's error, a fatal error, or the caller's after MaxStall. All its goroutines have ended when it returns.
func (w *Worker) Run(ctx context.Context, once bool) error {
	r := &run{Worker: w.withDefaults(), results: make(chan nft.Resolution), stalled: make(chan error, 1)}
	// Deferred calls run in reverse order: cancel the goroutines, then wait for them.
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
	c.Clock = c.Clock.WithDefaults()
	return c
}

// run is a Worker at work.
type run struct {
	Worker
	// results receives the resolution of each claimed task.
	results chan nft.Resolution
	// stalled receives the error that ends the run.
	stalled chan error
	working sync.WaitGroup
	slow    slowness
	// until is when the last token is due that was claimed and not tried.
	until uint64
}

// loop claims tasks up to InFlight and finishes resolved ones.
func (r *run) loop(ctx context.Context, once bool) error {
	underWay, failures := 0, 0
	// wake is nil when it is time to claim, and full unless too many tasks are under way.
	var wake, full <-chan time.Time
	for {
		if wake == nil && underWay <= r.InFlight-r.Batch {
			var tasks []nft.Task
			err := r.safely(func() (err error) {
				tasks, err = r.Queue.Claim(ctx, r.Batch)
				return err
			})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && r.fatal(err):
				return err
			case err != nil:
				failures++
				wake = time.After(r.retryIn("claiming tokens", failures, err))
			case len(tasks) > 0:
				failures = 0
				underWay += len(tasks)
				r.working.Go(func() { r.resolve(ctx, tasks) })
				continue
			case once && underWay == 0 && uint64(r.Now().Unix()) >= r.until:
				return nil
			default:
				failures = 0
				wake = time.After(r.Poll)
			}
		}
		excess := underWay - (r.InFlight - r.Batch)
		switch {
		case excess <= 0:
			full = nil
		case full == nil:
			full = time.After(maxFull)
		}
		select {
		case <-full:
			full = nil
			r.Fetcher.hosts.shed(excess)
		case first := <-r.results:
			group := r.gather(first)
			if err := r.finish(ctx, group); err != nil {
				return err
			}
			underWay -= len(group)
			if once && underWay == 0 && failures == 0 {
				// Check the queue one last time without a delay.
				wake = nil
			}
		case err := <-r.stalled:
			return err
		case <-wake:
			wake = nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// persist calls try until it succeeds. It fails only with ctx's error, a fatal one or, unless
// most is 0, that of try after pauses of most.
func (r *run) persist(ctx context.Context, what string, most time.Duration, try func() error) error {
	waited := time.Duration(0)
	for failures := 1; ; failures++ {
		err := r.safely(try)
		if err == nil || ctx.Err() != nil || r.fatal(err) || most > 0 && waited >= most {
			return cmp.Or(ctx.Err(), err)
		}
		wait := r.retryIn(what, failures, err)
		if err := r.Sleep(ctx, wait); err != nil {
			return err
		}
		waited += wait
	}
}

func (r *run) fatal(err error) bool { return r.Fatal != nil && r.Fatal(err) }

// retryIn logs an error and returns the delay before the next attempt.
func (r *run) retryIn(what string, failures int, err error) time.Duration {
	wait := retrying.Pause(failures, r.Random())
	if r.Lost != nil && r.Lost(err) {
		wait = retrying.ShortPause(failures, r.Random())
	}
	r.Log.Warn(what+": trying again", "error", err, "in", wait.Round(time.Millisecond).String())
	return wait
}

// safely is [retrying.Safely] with the worker's log and panic callback.
func (r *run) safely(f func() error) error { return retrying.Safely(r.Log, r.Panicked, f) }

// resolve calls the contracts of tasks and sends a resolution for each task.
func (r *run) resolve(ctx context.Context, tasks []nft.Task) {
	var answers []answer
	err := r.persist(ctx, "asking contracts", r.MaxStall, func() (err error) {
		if tasks[0].OfCollection {
			answers, err = askCollections(ctx, r.Caller, tasks)
		} else {
			answers, err = ask(ctx, r.Caller, tasks)
		}
		return err
	})
	if err != nil {
		select {
		case r.stalled <- err:
		default:
		}
		return
	}
	for _, a := range answers {
		r.working.Go(func() {
			var resolution nft.Resolution
			err := r.persist(ctx, "resolving a token", 0, func() (err error) {
				resolution, err = r.document(ctx, a)
				return err
			})
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

// gather returns the results that are ready, up to the bounds of a group. It never waits
// for further results.
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
	if document := cmp.Or(resolution.Document, resolution.Picture); document != nil {
		bytes += len(document.Raw)
	}
	if resolution.Collection != nil {
		bytes += len(resolution.Collection.Raw)
	}
	return bytes
}

// finish stores a group. It fails only with ctx's error.
func (r *run) finish(ctx context.Context, group []nft.Resolution) error {
	err := r.persist(ctx, "storing documents", 0, func() error { return r.Queue.Finish(ctx, group) })
	if err != nil {
		return err
	}
	documents, failures := 0, 0
	for _, resolution := range group {
		switch {
		case resolution.Collection != nil:
			// Progress counts tokens.
		case resolution.Document != nil || resolution.Picture != nil:
			documents++
		case resolution.Problem != "":
			failures++
		default:
			r.until = max(r.until, resolution.NextAt)
		}
	}
	// A panic of Progress is only logged, because the group is already stored.
	_ = r.safely(func() error {
		r.Progress(documents, failures)
		return nil
	})
	return nil
}
