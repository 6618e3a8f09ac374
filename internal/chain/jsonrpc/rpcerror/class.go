package rpcerror

import (
	"context"
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

// NotProvableError is an [ErrNotProvable] with a reason that names no node.
type NotProvableError struct{ Reason string }

// Error returns the message.
func (e *NotProvableError) Error() string { return ErrNotProvable.Error() + ": " + e.Reason }

// Unwrap returns [ErrNotProvable].
func (e *NotProvableError) Unwrap() error { return ErrNotProvable }

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

// ClassLeavesOut is the [Class] of an answer that lacks logs.
const ClassLeavesOut = "leaves out logs"

// More classes of [Class].
const (
	classUnreachable = "unreachable"
	classRate        = "rate limited"
)

// Class returns the class of an error, which contains no text from the endpoint:
// "rate limited", "timeout", "inconsistent", [ClassLeavesOut], "pruned", "missing" (no such
// block), "unreachable" (no connection, or an answer that broke off) or "refused" (any other
// answer).
func Class(err error) string {
	wrong, isWrong := errors.AsType[*LogsError](err)
	e, answered := errors.AsType[*Error](err)
	switch {
	case isWrong && wrong.LeftOut:
		return ClassLeavesOut
	case errors.Is(err, ErrPruned):
		return evm.ReasonPruned
	case Contradicts(err), errors.Is(err, ErrWrongChain), errors.Is(err, ErrWrongBranch):
		return "inconsistent"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, ErrLagging), errors.Is(err, ErrGone):
		return "missing"
	case !answered:
		return classUnreachable
	case e.Info.Kind == Rate:
		return classRate
	case e.Info.Kind == Slow && e.TimedOut:
		return "timeout"
	case e.Info.Kind == Slow && e.Code == 0:
		return classUnreachable
	default:
		return "refused"
	}
}

// Refuses reports whether err is the answer of a node that does not pass by itself: anything
// but a rate limit and a lost connection.
func Refuses(err error) bool {
	class := Class(err)
	return class != classRate && class != classUnreachable
}
