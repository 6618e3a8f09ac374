package chain

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
)

// What a [Client] answers when it has no block to give; test with errors.Is.
// Everything else that is wrapped in an [*Error] is a refusal that will not
// pass by itself (bad credentials, a method that the node lacks).
var (
	// ErrTemporary is a failure that may pass: limits, timeouts, broken
	// connections, a node that is starting. The same question may be asked
	// again, later.
	ErrTemporary = errors.New("temporary failure")
	// ErrLagging says that the node has no block at that height yet.
	ErrLagging = errors.New("the node does not have the block yet")
	// ErrGone says that no node knows a block of that hash: it was reorganised
	// away, or it is too new for all of them.
	ErrGone = errors.New("no node has a block of that hash")
	// ErrInconsistent says that an answer contradicts itself, the question or
	// another answer of the same node. None of it was used; the same
	// question may be asked again.
	ErrInconsistent = errors.New("inconsistent answer")
	// ErrPruned says that the node has dropped that part of the history.
	ErrPruned = errors.New("the node has pruned this part of the history")
	// ErrWrongChain says that endpoints serve different chains.
	ErrWrongChain = errors.New("wrong chain")
	// ErrWrongBranch says that an endpoint has other blocks where the caller
	// holds blocks for final.
	ErrWrongBranch = errors.New("wrong branch")
	// ErrNotProvable says that a block's roots cannot be rebuilt from what
	// nodes of this chain give: nothing is known about its completeness.
	ErrNotProvable = errors.New("not provable")
	// ErrMismatch says that a rebuilt root or hash differs from the header's:
	// the node's data is wrong.
	ErrMismatch = errors.New("proof failed")
	// ErrNoSubscription says that no endpoint can push new heads.
	ErrNoSubscription = errors.New("no endpoint is a WebSocket")
)

// leftOutError says that the answer to a range lacks logs that a block of it has.
type leftOutError struct {
	asked evm.Range
	text  string
}

func (e *leftOutError) Error() string { return e.text }

// Unwrap returns [ErrInconsistent].
func (e *leftOutError) Unwrap() error { return ErrInconsistent }

// Error is a refusal or failure of one endpoint. It matches one of the
// sentinels of this package with errors.Is where one fits.
type Error struct {
	// Endpoint is the endpoint's name, without credentials.
	Endpoint string
	// Method is the JSON-RPC method, or empty when a batch failed as a whole.
	Method string
	// Code is the JSON-RPC error code or the HTTP status; 0 where there is none.
	Code int
	// Message is what the node said, shortened and without credentials.
	Message string

	refusal refusal
	// timedOut says that no answer came in time.
	timedOut bool
}

// say takes over what a node said. Some give the reason in data only.
func (e *Error) say(said *wireError, batch bool) {
	e.Code, e.Message = said.Code, said.Message
	e.refusal = classify(said.Code, said.Message, batch)
	more := said.data()
	if more == "" {
		return
	}
	e.Message += ": " + more
	if unclear := e.refusal.kind == kindSize && e.refusal.limit == 0; unclear || e.refusal.kind == kindRefused {
		e.refusal = classify(said.Code, e.Message, batch)
	}
}

// Error returns one line that names endpoint, method, code and message.
func (e *Error) Error() string {
	text := e.Endpoint
	if e.Method != "" {
		text += ": " + e.Method
	}
	if e.Code != 0 {
		text += fmt.Sprintf(": error %d", e.Code)
	}
	return text + ": " + e.Message
}

// Unwrap returns the sentinel that fits, or nil.
func (e *Error) Unwrap() error { return e.refusal.kind.sentinel() }

func (k kind) sentinel() error {
	switch k {
	case kindTemporary, kindRate, kindSize, kindSlow, kindBatch:
		return ErrTemporary
	case kindBeyondHead:
		return ErrLagging
	case kindUnknownBlock:
		return ErrGone
	case kindPruned:
		return ErrPruned
	default:
		return nil
	}
}

// ErrorClass returns what failed in one or two words that repeat nothing of the
// endpoint's: "rate limited", "timeout", "inconsistent", [ClassLeavesOut],
// "unreachable" (no connection, or an answer that broke off) or "refused" (any
// other answer).
func ErrorClass(err error) string {
	var e *Error
	switch leftOut := new(leftOutError); {
	case errors.As(err, &leftOut):
		return ClassLeavesOut
	case errors.Is(err, ErrInconsistent), errors.Is(err, ErrMismatch), errors.Is(err, ErrWrongChain), errors.Is(err, ErrWrongBranch):
		return "inconsistent"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case !errors.As(err, &e):
		return classUnreachable
	case e.refusal.kind == kindRate:
		return "rate limited"
	case e.refusal.kind == kindSlow && e.timedOut:
		return "timeout"
	case e.refusal.kind == kindSlow && e.Code == 0:
		return classUnreachable
	default:
		return "refused"
	}
}

// ClassLeavesOut is the class of an answer that lacks logs.
const ClassLeavesOut = "leaves out logs"

// classUnreachable is the class of a connection that failed.
const classUnreachable = "unreachable"

// failed notes an error.
func (h *EndpointHealth) failed(err error) { h.LastError, h.LastFailure = ErrorClass(err), err.Error() }

// inconsistent returns an error that matches [ErrInconsistent].
func inconsistent(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInconsistent}, args...)...)
}

// Contradicts reports whether err says that answers contradict themselves, each
// other or the chain.
func Contradicts(err error) bool {
	return errors.Is(err, ErrInconsistent) || errors.Is(err, ErrMismatch)
}

// isFinal reports whether err is an answer about the chain, which waiting does
// not change: another node may be asked, but not the same one again.
func isFinal(err error) bool {
	for _, final := range []error{ErrLagging, ErrGone, ErrPruned, ErrNotProvable} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// isTransient reports whether the same question may have an answer later.
func isTransient(err error) bool {
	return errors.Is(err, ErrTemporary) || errors.Is(err, ErrInconsistent) || errors.Is(err, ErrMismatch) ||
		errors.Is(err, context.DeadlineExceeded)
}

// refusalOf returns why a call was refused; its kind is kindNone when err is
// not an [*Error].
func refusalOf(err error) refusal {
	var e *Error
	if errors.As(err, &e) {
		return e.refusal
	}
	return refusal{}
}
