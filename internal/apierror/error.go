package apierror

import (
	"errors"
	"fmt"
)

// Code is the machine-readable kind of an [Error]. GraphQL returns it as
// extensions.code, REST as code.
type Code string

// The error codes for clients, see docs/api.md#errors.
const (
	BadUserInput      Code = "BAD_USER_INPUT"
	InvalidCursor     Code = "INVALID_CURSOR"
	CursorReorged     Code = "CURSOR_REORGED"
	ChangesExpired    Code = "CHANGES_EXPIRED"
	BlockNotFound     Code = "BLOCK_NOT_FOUND"
	BlockNotIndexed   Code = "BLOCK_NOT_INDEXED"
	BlockNotCanonical Code = "BLOCK_NOT_CANONICAL"
	NotProvable       Code = "NOT_PROVABLE"
	NotFound          Code = "NOT_FOUND"
	OutOfRange        Code = "OUT_OF_RANGE"
	QueryTooCostly    Code = "QUERY_TOO_COSTLY"
	RateLimited       Code = "RATE_LIMITED"
	Timeout           Code = "TIMEOUT"
	Unavailable       Code = "UNAVAILABLE"
	ReplicaBehind     Code = "REPLICA_BEHIND"
	Internal          Code = "INTERNAL"
)

// Error is an error that clients may see. All other errors are internal: they are logged
// and never shown.
type Error struct {
	// Code is the kind of error.
	Code Code
	// Message is one line that states what was wrong and what is accepted.
	Message string
	// Details holds further extensions by name, or is nil.
	Details map[string]any
	// Cause is ErrCancelled, ErrLasting or nil.
	Cause error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errorf returns an [Error] without details.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ErrCancelled is the cause of an [Unavailable] error after the database cancelled a
// statement. Repeating that more than once may only add load.
var ErrCancelled = errors.New("the database cancelled a statement")

// ErrLasting is the cause of an [Unavailable] error of one field, which another attempt at once does
// not change.
var ErrLasting = errors.New("not available")

// Lasting returns an [Unavailable] error with the cause [ErrLasting].
func Lasting(format string, args ...any) *Error {
	return &Error{Code: Unavailable, Message: fmt.Sprintf(format, args...), Cause: ErrLasting}
}
