package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"mintburn/internal/store"
	"mintburn/internal/store/lease"
)

// leaseOptions say who this process is, and log whom it waits for.
func leaseOptions(e *env, yields bool) lease.Options {
	// Without its name the process number is left.
	host, _ := os.Hostname()
	return lease.Options{
		Holder: fmt.Sprintf("%s on %s, process %d", e.command, host, os.Getpid()), Yields: yields,
		Waits: func(holder string) {
			e.log.Info("waiting until another process has finished writing", "holder", holder)
		},
	}
}

// lead takes the lease for a command, until s is closed. A follower that has it lets the
// command have it.
func lead(ctx context.Context, e *env, s *store.Store) error {
	if s.Lease().Held() {
		return nil
	}
	_, err := s.Lease().Take(ctx, leaseOptions(e, false))
	return err
}

// leading returns lead, called once, whoever comes first.
func leading(ctx context.Context, e *env, s *store.Store) func() error {
	return sync.OnceValue(func() error { return lead(ctx, e, s) })
}

// always lets a follower try again after any error: it ends with its context only.
func always(error) bool { return true }

// whileLeading calls follow whenever s has the lease, until follow ends by itself: it has
// to end with its context, when a command wants the lease or another process has it.
func whileLeading(ctx context.Context, e *env, s *store.Store, follow func(context.Context) error) error {
	for {
		var term *lease.Term
		err := retry(ctx, e.log, "taking the lease", always, func() (err error) {
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
			e.log.Warn("the lease ends by itself", "error", failed)
		}
		if lost := new(lease.Error); ctx.Err() != nil || !asked && !errors.As(err, &lost) {
			return err
		}
		e.log.Info("another process takes over writing")
	}
}
