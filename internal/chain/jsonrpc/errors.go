package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// Why a [Client] has no block to return; test with errors.Is. Any other [*Error]
// is an answer that repeating the call does not change (bad credentials, a method
// that the node lacks).
var (
	// ErrTemporary is a failure that may pass: limits, timeouts, broken
	// connections, a node that is starting. Call again later.
	ErrTemporary = errors.New("temporary failure")
	// ErrLagging says that the node has no block at that height yet.
	ErrLagging = errors.New("the node does not have the block yet")
	// ErrGone says that no node knows a block of that hash: it was orphaned, or is
	// too new for all of them.
	ErrGone = errors.New("no node has a block of that hash")
	// ErrInconsistent says that an answer contradicts itself, the call or another
	// answer of the same node. None of it was used; call again.
	ErrInconsistent = errors.New("inconsistent answer")
	// ErrPruned says that the node has dropped that part of the history.
	ErrPruned = errors.New("the node has pruned this part of the history")
	// ErrWrongChain says that endpoints serve different chains.
	ErrWrongChain = errors.New("wrong chain")
	// ErrWrongBranch says that an endpoint has other blocks than the stored final
	// ones.
	ErrWrongBranch = errors.New("wrong branch")
	// ErrNotProvable says that a block's roots cannot be rebuilt from what nodes of
	// this chain return: its completeness is unknown.
	ErrNotProvable = errors.New("not provable")
	// ErrMismatch says that a rebuilt root or hash differs from the header's: the
	// node's data is wrong.
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

// Error is a failed call to one endpoint. It matches one of the sentinels of this
// package with errors.Is where one fits.
type Error struct {
	// Endpoint is the endpoint's name, without credentials.
	Endpoint string
	// Method is the JSON-RPC method, or empty when a batch failed as a whole.
	Method string
	// Code is the JSON-RPC error code or the HTTP status; 0 where there is none.
	Code int
	// Message is the node's message, shortened and without credentials.
	Message string

	info errorInfo
	// timedOut says that no answer came in time.
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

// Unwrap returns the sentinel that fits, or nil.
func (e *Error) Unwrap() error {
	return sentinels[e.info.kind]
}

var sentinels = map[kind]error{
	kindTemporary: ErrTemporary, kindRate: ErrTemporary, kindSize: ErrTemporary, kindSlow: ErrTemporary, kindBatch: ErrTemporary,
	kindBeyondHead: ErrLagging, kindUnknownBlock: ErrGone, kindPruned: ErrPruned,
}

// wireError is the error member of a JSON-RPC answer.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// decodeError reads an error member: an object by the standard, or a text as some
// gateways have it.
func decodeError(raw json.RawMessage) *wireError {
	said := new(wireError)
	if json.Unmarshal(raw, said) == nil && (said.Code != 0 || said.Message != "") || json.Unmarshal(raw, &said.Message) == nil && said.Message != "" {
		return said
	}
	return &wireError{Message: "an error of unknown form: " + evm.Excerpt(string(raw))}
}

// readError returns the error of an answer, or nil when it has none.
func readError(answer []byte) *wireError {
	var object struct {
		Error   json.RawMessage
		Message string
	}
	switch err := json.Unmarshal(answer, &object); {
	case err == nil && len(object.Error) > 0 && string(object.Error) != "null":
		return decodeError(object.Error)
	case err == nil && object.Message != "":
		return &wireError{Message: object.Message}
	default:
		return nil
	}
}

// details returns the data of an error as text; empty for bytes, which are not
// for people.
func (e *wireError) details() string {
	text, ok := e.Data.(string)
	switch {
	case e.Data == nil || strings.HasPrefix(text, "0x"):
		return ""
	case ok:
		return text
	}
	// It was read from JSON.
	encoded, _ := json.Marshal(e.Data)
	return string(encoded)
}

// newError completes the error of one call, or of a batch as a whole.
func (e *endpoint) newError(calls []*call, failed *Error) *Error {
	failed.Endpoint = e.name
	byHash := false
	if len(calls) == 1 {
		failed.Method, byHash = calls[0].method, calls[0].byHash()
	}
	// A block that was requested by number is not there yet.
	if failed.info.kind == kindUnknownBlock && !byHash {
		failed.info.kind = kindBeyondHead
	}
	failed.Message = e.clean(failed.Message)
	return failed
}

// said returns the error of calls that a node answered with an error. batch says
// that it is the one error of a batch.
func (e *endpoint) said(calls []*call, said *wireError, batch bool) *Error {
	failed := &Error{Code: said.Code, Message: said.Message, info: classify(said.Code, said.Message, batch)}
	// Some nodes give the reason in data only. That of a reverted call is the
	// contract's.
	if more := said.details(); more != "" && !(len(calls) == 1 && calls[0].method == "eth_call") {
		failed.Message += ": " + more
		if failed.info.kind == kindSize && failed.info.limit == 0 || failed.info.kind == kindRefused {
			failed.info = classify(said.Code, failed.Message, batch)
		}
	}
	return e.newError(calls, failed)
}

// badStatus returns the error of calls that were answered with an HTTP error.
func (e *endpoint) badStatus(calls []*call, response *http.Response, body []byte) error {
	status := response.StatusCode
	failed := &Error{Message: http.StatusText(status), info: errorInfo{kind: kindOfStatus(status)}}
	if said := readError(body); said != nil {
		failed = e.said(calls, said, len(calls) > 1)
		if failed.info.kind == kindRefused {
			failed.info.kind = kindOfStatus(status)
		}
	}
	failed.Code = status
	// The error in the request may be the number of its calls.
	failed.info.whole = status == http.StatusBadRequest && failed.info.kind == kindTemporary
	failed.info.after = retrying.After(response.Header, e.o.Now(), maxRetryAfter)
	return e.newError(calls, failed)
}

// lost returns the error of calls whose answer did not arrive whole; nil for none.
func (e *endpoint) lost(calls []*call, err error) error {
	if _, known := errors.AsType[*Error](err); err == nil || known {
		return err
	}
	failed := &Error{info: errorInfo{kind: kindSlow}}
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

// ClassLeavesOut is the class of an answer that lacks logs.
const ClassLeavesOut = "leaves out logs"

// classUnreachable is the class of a connection that failed.
const classUnreachable = "unreachable"

// ErrorClass returns what failed in one or two words that repeat nothing of the
// endpoint's: "rate limited", "timeout", "inconsistent", [ClassLeavesOut],
// "unreachable" (no connection, or an answer that broke off) or "refused" (any
// other answer).
func ErrorClass(err error) string {
	_, leftOut := errors.AsType[*leftOutError](err)
	e, answered := errors.AsType[*Error](err)
	switch {
	case leftOut:
		return ClassLeavesOut
	case Contradicts(err), errors.Is(err, ErrWrongChain), errors.Is(err, ErrWrongBranch):
		return "inconsistent"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case !answered:
		return classUnreachable
	case e.info.kind == kindRate:
		return "rate limited"
	case e.info.kind == kindSlow && e.timedOut:
		return "timeout"
	case e.info.kind == kindSlow && e.Code == 0:
		return classUnreachable
	default:
		return "refused"
	}
}

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
// not change: another node is called, but not the same one again.
func isFinal(err error) bool {
	answers := []error{ErrLagging, ErrGone, ErrPruned, ErrNotProvable}
	return slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// isTransient reports whether the same call may succeed later.
func isTransient(err error) bool {
	return errors.Is(err, ErrTemporary) || Contradicts(err) || errors.Is(err, context.DeadlineExceeded)
}

// infoOf returns what an error means; the zero value when it is no [*Error].
func infoOf(err error) errorInfo {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.info
	}
	return errorInfo{}
}

// kindOf returns the kind of an error, kindNone when it is no [*Error].
func kindOf(err error) kind { return infoOf(err).kind }
