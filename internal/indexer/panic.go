package indexer

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// PanicError is a panic that was recovered, so that a bug in one part does not end
// the process.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack is the stack trace of the goroutine, for logs.
	Stack string
}

// Error returns the value of the panic, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: panic: %v", e.Value) }

// safely returns the error of f, or its panic as a [*PanicError].
func safely(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: string(debug.Stack())}
		}
	}()
	return f()
}

// Safely returns the error of f, or its panic as a [*PanicError], which it logs
// and counts. count may be nil.
func Safely(log *slog.Logger, count func(), f func() error) error {
	err := safely(f)
	logPanic(log, err, count)
	return err
}

// logPanic logs an error that is a panic and calls count, which may be nil.
func logPanic(log *slog.Logger, err error, count func()) {
	var panicked *PanicError
	if !errors.As(err, &panicked) {
		return
	}
	log.Error("panic", "error", err, "stack", panicked.Stack)
	if count != nil {
		count()
	}
}
