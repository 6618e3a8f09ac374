package process

import (
	"context"

	"mintburn/internal/store/read"
)

// Exit codes other than 0 and 1.
const (
	ExitUsage   = 2 // bad arguments
	ExitReorged = 3 // a reorg orphaned the cursor of an export, or that of changes expired
)

// ExitError is an error with its own exit code.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }

func (e *ExitError) Unwrap() error { return e.Err }

// UnfinishedError is the error of work that can be continued.
type UnfinishedError struct {
	err error
	// Next describes how to continue.
	Next string
}

func (e *UnfinishedError) Error() string { return e.err.Error() }

func (e *UnfinishedError) Unwrap() error { return e.err }

// Unfinished adds to an error how to continue if ctx has ended or the database was lost.
func Unfinished(ctx context.Context, err error, next string) error {
	if err == nil || ctx.Err() == nil && !read.IsLost(err) {
		return err
	}
	return Incomplete(err, next)
}

// Incomplete adds to an error, whatever it is, how to continue.
func Incomplete(err error, next string) error {
	if err == nil {
		return nil
	}
	return &UnfinishedError{err, next}
}

// Again describes how to continue work that has stored its results so far.
const Again = "progress is saved; run the same command again to continue"
