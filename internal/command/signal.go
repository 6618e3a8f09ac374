package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"mintburn/internal/command/process"
)

// Signal is the cause of the cancellation of a context from [NotifyContext].
type Signal struct{ syscall.Signal }

// Error returns the name of the signal.
func (s Signal) Error() string {
	switch s.Signal {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return s.String()
}

// NotifyContext returns a context that ends at the first SIGINT, SIGTERM or
// SIGHUP, with a [Signal] as its cause. A second signal ends the process at once,
// because some waits, such as for a full pipe, cannot be interrupted. A SIGHUP that was
// ignored when the process started, as by nohup, stays ignored.
func NotifyContext(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	received := make(chan os.Signal, 1)
	signal.Notify(received, signals...)
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		defer signal.Stop(received)
		select {
		case s := <-received:
			// Before the context ends: whoever sees that it has may send the second signal.
			signal.Stop(received)
			if number, ok := s.(syscall.Signal); ok {
				cancel(Signal{number})
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-waited
	}
}

// endless is a command that may run until it is stopped: a signal then ends it with
// exit code 0.
type endless interface {
	// endless reports whether the command's flags let it run until it is stopped.
	endless() bool
}

// stopped returns the exit code and the line of an interrupted command.
func stopped(ctx context.Context, err error) (code int, line string) {
	next := "run the same command again"
	if e := new(process.UnfinishedError); errors.As(err, &e) {
		next = e.Next
	}
	if s := (Signal{}); errors.As(context.Cause(ctx), &s) {
		return 128 + int(s.Signal), fmt.Sprintf("interrupted by %s: %s", s, next)
	}
	return 1, "interrupted: " + next
}
