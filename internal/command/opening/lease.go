package opening

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"mintburn/internal/command/process"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/write"
)

// leaseOptions returns options that name this process as the holder, and that log which
// holder it waits for.
func leaseOptions(e *process.Env, yields bool) lease.Options {
	// Without a host name, the process id still identifies the holder.
	host, _ := os.Hostname()
	return lease.Options{
		Holder: fmt.Sprintf("%s on %s, process %d", e.Command, host, os.Getpid()), Now: e.Now, Yields: yields,
		Waits: func(holder string) {
			e.Log.Info("waiting until another process has finished writing", "holder", holder)
		},
	}
}

// lead takes the lease for a command until s is closed. A follower that holds the lease
// yields it.
func lead(ctx context.Context, e *process.Env, s *write.DB) error {
	if s.Lease().Held() {
		return nil
	}
	_, err := s.Lease().Take(ctx, leaseOptions(e, false))
	return err
}

// Leading returns a function that calls lead once and returns its error to every caller.
func Leading(ctx context.Context, e *process.Env, s *write.DB) func() error {
	return sync.OnceValue(func() error { return lead(ctx, e, s) })
}

// AnyError makes [Retry] retry any error, so that a follower ends only with its context.
func AnyError(error) bool { return true }

// WhileLeading calls follow each time s gets the lease, until follow returns by itself.
// It cancels follow's context when a command requests the lease. If another process has
// taken the lease, follow must return a [*lease.Error].
func WhileLeading(ctx context.Context, e *process.Env, s *write.DB, follow func(context.Context) error) error {
	for {
		var term *lease.Term
		err := Retry(ctx, e.Log, "taking the lease", AnyError, func() (err error) {
			term, err = s.Lease().Take(ctx, leaseOptions(e, true))
			return err
		})
		if err != nil {
			return err
		}
		leading, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			select {
			case <-term.Asked():
				stop()
			case <-leading.Done():
			}
		}()
		err = follow(leading)
		asked := leading.Err() != nil
		stop()
		<-ended
		if failed := term.Release(); failed != nil {
			e.Log.Warn("releasing the lease: it will expire by itself", "error", failed)
		}
		if lost := new(lease.Error); ctx.Err() != nil || !asked && !errors.As(err, &lost) {
			return err
		}
		e.Log.Info("another process takes over writing")
	}
}
