package rpcerror

import (
	"context"
	"errors"

	"mintburn/internal/evm"
)

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
