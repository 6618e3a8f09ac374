package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// The reasons why a [Client] returns no block; test with errors.Is. An [*Error] that
// matches none of them is an answer that repeating the call does not change, such as
// bad credentials or a method that the node lacks.
var (
	// ErrTemporary is a failure that may pass: a limit, a timeout, a broken
	// connection, a node that is starting. Call again later.
	ErrTemporary = errors.New("temporary failure")
	// ErrLagging means that the node has no block at that height yet.
	ErrLagging = errors.New("the node does not have the block yet")
	// ErrGone means that no node has a block with that hash: it was orphaned, or is
	// too new for all of them.
	ErrGone = errors.New("no node has a block of that hash")
	// ErrInconsistent means that an answer contradicts itself, the call or another
	// answer of the same node. It was discarded; call again.
	ErrInconsistent = errors.New("inconsistent answer")
	// ErrPruned means that the node has dropped that part of the history.
	ErrPruned = errors.New("the node has pruned this part of the history")
	// ErrWrongChain means that an endpoint serves another chain.
	ErrWrongChain = errors.New("wrong chain")
	// ErrWrongBranch means that an endpoint's blocks differ from the stored final
	// ones.
	ErrWrongBranch = errors.New("wrong branch")
	// ErrNotProvable means that a block's roots cannot be rebuilt from the answers of
	// this chain's nodes, so that its completeness is unknown.
	ErrNotProvable = errors.New("not provable")
	// ErrMismatch means that a rebuilt root or hash differs from the header's: the
	// node's data is wrong.
	ErrMismatch = errors.New("proof failed")
	// ErrNoSubscription means that no endpoint can push new heads.
	ErrNoSubscription = errors.New("no endpoint is a WebSocket")
)

// caughtError means that the answer to a range is wrong: it lacks logs of a block, or
// contradicts the block or itself.
type caughtError struct {
	// asked is the range.
	asked evm.Range
	// leftOut is true if logs are missing.
	leftOut bool
	// pruned is true if the receipts are missing too: the endpoint may have pruned them.
	pruned bool
	text   string
}

func (e *caughtError) Error() string { return e.text }

// Unwrap returns [ErrInconsistent].
func (e *caughtError) Unwrap() error { return ErrInconsistent }

// errBranches is an [ErrInconsistent] that a reorg between two answers explains.
var errBranches = fmt.Errorf("%w: two branches", ErrInconsistent)

// errNoBlock means that the heights of a range have no block, as the blocks beside them prove.
var errNoBlock = fmt.Errorf("%w: no block at these heights", ErrLagging)

// branches returns an error that matches [errBranches].
func branches(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errBranches}, args...)...)
}

// Error is a failed call to one endpoint. If a sentinel of this package fits,
// errors.Is matches it.
type Error struct {
	// Endpoint is the endpoint's name, without credentials.
	Endpoint string
	// Method is the JSON-RPC method, or empty when a batch failed as a whole.
	Method string
	// Code is the JSON-RPC error code or the HTTP status; 0 where there is none.
	Code int
	// Message is the node's message, shortened and without credentials.
	Message string

	info rpcerror.Info
	// timedOut is true if no answer arrived within the timeout.
	timedOut bool
}

// Error returns one line with endpoint, method, code and message.
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

// Unwrap returns the sentinel that matches, or nil.
func (e *Error) Unwrap() error {
	return sentinels[e.info.Kind]
}

var sentinels = map[rpcerror.Kind]error{
	rpcerror.Temporary: ErrTemporary, rpcerror.Rate: ErrTemporary, rpcerror.Size: ErrTemporary, rpcerror.Slow: ErrTemporary, rpcerror.Batch: ErrTemporary,
	rpcerror.BeyondHead: ErrLagging, rpcerror.UnknownBlock: ErrGone, rpcerror.Pruned: ErrPruned,
}

// newError completes the error of one call, or of a whole batch.
func (e *endpoint) newError(calls []*call, failed *Error) *Error {
	failed.Endpoint = e.name
	byHash := false
	if len(calls) == 1 {
		failed.Method, byHash = calls[0].method, calls[0].byHash()
	}
	// An unknown block that was requested by number is above the node's head.
	if failed.info.Kind == rpcerror.UnknownBlock && !byHash {
		failed.info.Kind = rpcerror.BeyondHead
	}
	failed.Message = e.secrets.Clean(failed.Message)
	return failed
}

// answerError returns the error of calls that a node answered with an error. batch
// means that it is the single error of a whole batch.
func (e *endpoint) answerError(calls []*call, said *rpcerror.Object, batch bool) *Error {
	said.Message = said.Message[:min(len(said.Message), rpcerror.MaxText)]
	failed := &Error{Code: said.Code, Message: said.Message, info: rpcerror.Classify(said.Code, said.Message, batch)}
	// Some nodes return the reason only in data. For eth_call, data belongs to the
	// contract.
	if more := said.Details(); more != "" && !(len(calls) == 1 && calls[0].method == "eth_call") {
		failed.Message += ": " + more
		if failed.info.Kind == rpcerror.Size && failed.info.Limit == 0 || failed.info.Kind == rpcerror.Refused {
			failed.info = rpcerror.Classify(said.Code, failed.Message, batch)
		}
	}
	return e.newError(calls, failed)
}

// badStatus returns the error of calls that were answered with an HTTP error.
func (e *endpoint) badStatus(calls []*call, response *http.Response, body []byte) error {
	status := response.StatusCode
	failed := &Error{Message: http.StatusText(status), info: rpcerror.Info{Kind: rpcerror.OfStatus(status)}}
	if len(body) > 0 {
		failed.Message += ": got " + e.described(response, body)
	}
	if said := rpcerror.Read(bytes.TrimPrefix(body, byteOrderMark), e.secrets.Excerpt); said != nil {
		failed = e.answerError(calls, said, len(calls) > 1)
		if failed.info.Kind == rpcerror.Refused {
			failed.info.Kind = rpcerror.OfStatus(status)
		}
	}
	if target, err := response.Location(); status < http.StatusBadRequest && err == nil {
		failed.Message = fmt.Sprintf("%s: the redirect to %s://%s is not followed", http.StatusText(status), target.Scheme, target.Host)
	}
	failed.Code, failed.info.Status = status, status
	failed.info.After = retrying.RetryAfter(response.Header, e.o.Now(), rpcerror.MaxRetryAfter)
	failed.info.Whole = len(calls) > 1 && failed.info.Kind == rpcerror.Temporary && failed.info.After == 0
	return e.newError(calls, failed)
}

// transportError returns the error of calls whose answer did not arrive completely,
// or nil if err is nil. It returns an [*Error] unchanged.
func (e *endpoint) transportError(calls []*call, err error) error {
	if _, known := errors.AsType[*Error](err); err == nil || known {
		return err
	}
	failed := &Error{info: rpcerror.Info{Kind: rpcerror.Slow}}
	if failed.timedOut = errors.Is(err, context.DeadlineExceeded); failed.timedOut {
		failed.Message = fmt.Sprintf("no answer within %s", e.o.Timeout)
	} else {
		// The error of package url repeats the URL.
		if outer := new(url.Error); errors.As(err, &outer) {
			err = outer.Err
		}
		failed.Message = err.Error()
	}
	return e.newError(calls, failed)
}

// ClassLeavesOut is the [ErrorClass] of an answer that lacks logs.
const ClassLeavesOut = "leaves out logs"

// More classes of [ErrorClass].
const (
	classUnreachable = "unreachable"
	classRate        = "rate limited"
)

// ErrorClass returns the class of an error, which contains no text from the endpoint:
// "rate limited", "timeout", "inconsistent", [ClassLeavesOut], "pruned", "missing" (no such
// block), "unreachable" (no connection, or an answer that broke off) or "refused" (any other
// answer).
func ErrorClass(err error) string {
	caught, isCaught := errors.AsType[*caughtError](err)
	e, answered := errors.AsType[*Error](err)
	switch {
	case isCaught && caught.leftOut:
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
	case e.info.Kind == rpcerror.Rate:
		return classRate
	case e.info.Kind == rpcerror.Slow && e.timedOut:
		return "timeout"
	case e.info.Kind == rpcerror.Slow && e.Code == 0:
		return classUnreachable
	default:
		return "refused"
	}
}

// Refuses reports whether err is the answer of a node that does not pass by itself: anything
// but a rate limit and a lost connection.
func Refuses(err error) bool {
	class := ErrorClass(err)
	return class != classRate && class != classUnreachable
}

// isNoData reports whether a node answered a call, but not with the data: another method or
// another endpoint may have it. It does not depend on the words of the answer.
func isNoData(err error) bool {
	info := infoOf(err)
	switch info.Kind {
	case rpcerror.None:
		return Contradicts(err) || isFinal(err)
	case rpcerror.Rate, rpcerror.Slow, rpcerror.Batch:
		return false
	case rpcerror.Temporary:
		// Of the statuses above 500, most come from a gateway.
		return info.Status <= http.StatusInternalServerError
	default:
		return true
	}
}

// inconsistent returns an error that matches [ErrInconsistent].
func inconsistent(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInconsistent}, args...)...)
}

// Contradicts reports whether err means that answers contradict themselves, each
// other or the chain.
func Contradicts(err error) bool {
	return errors.Is(err, ErrInconsistent) || errors.Is(err, ErrMismatch)
}

// isFinal reports whether err is an answer about the chain. Another node may answer
// differently, but the same one is not called again.
func isFinal(err error) bool {
	answers := []error{ErrLagging, ErrGone, ErrPruned, ErrNotProvable}
	return slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// isTransient reports whether the same call may succeed later.
func isTransient(err error) bool {
	return errors.Is(err, ErrTemporary) || Contradicts(err) || errors.Is(err, context.DeadlineExceeded)
}

// infoOf returns the Info of an [*Error], or the zero value for other errors.
func infoOf(err error) rpcerror.Info {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.info
	}
	return rpcerror.Info{}
}

// kindOf returns the kind of an [*Error], or None for other errors.
func kindOf(err error) rpcerror.Kind { return infoOf(err).Kind }
