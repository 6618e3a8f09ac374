package retrying

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// PanicError is a recovered panic: a bug in one part must not end the process.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack is the stack trace of the goroutine, for logs.
	Stack string
}

// Error returns the value of the panic, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: panic: %v", e.Value) }

// Catch returns the error of f, or its panic as a [*PanicError].
func Catch(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: string(debug.Stack())}
		}
	}()
	return f()
}

// Safely is [Catch] that also logs and counts a panic, even one that f returns as its
// error. count may be nil.
func Safely(log *slog.Logger, count func(), f func() error) error {
	err := Catch(f)
	if panicked, ok := errors.AsType[*PanicError](err); ok {
		log.Error("panic", "error", err, "stack", panicked.Stack)
		if count != nil {
			count()
		}
	}
	return err
}
