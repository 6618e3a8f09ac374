package rpcerror

import (
	"errors"

	"mintburn/internal/evm"
)

// LogsError means that the answer to a range is wrong: it lacks logs of a block, or
// contradicts the block or itself.
type LogsError struct {
	// Range is the requested range.
	Range evm.Range
	// LeftOut is true if logs are missing.
	LeftOut bool
	// Pruned is true if the receipts are missing too: the endpoint may have pruned them.
	Pruned bool
	// Text is the message.
	Text string
}

// Error returns the message.
func (e *LogsError) Error() string { return e.Text }

// Unwrap returns [ErrInconsistent].
func (e *LogsError) Unwrap() error { return ErrInconsistent }

// IsWrongLogs reports whether err is a [LogsError] of an endpoint that has the receipts.
func IsWrongLogs(err error) bool {
	wrong, ok := errors.AsType[*LogsError](err)
	return ok && !wrong.Pruned
}

// IsPrunedLogs reports whether err is a [LogsError] of an endpoint that may have pruned the
// block.
func IsPrunedLogs(err error) bool {
	wrong, ok := errors.AsType[*LogsError](err)
	return ok && wrong.Pruned
}

// A PrunedError means that every endpoint has pruned a block. It matches [ErrPruned].
type PrunedError struct {
	// First is the first block that one of the endpoints has.
	First uint64
	// Text is the message.
	Text string
}

// Error returns the message.
func (e *PrunedError) Error() string { return e.Text }

// Unwrap returns [ErrPruned].
func (e *PrunedError) Unwrap() error { return ErrPruned }

// FirstBlock reports whether an error is a [PrunedError], and returns its first block.
func FirstBlock(err error) (first uint64, pruned bool) {
	if e, ok := errors.AsType[*PrunedError](err); ok {
		return e.First, true
	}
	return 0, false
}
