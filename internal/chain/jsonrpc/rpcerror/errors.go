package rpcerror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// The reasons why a [jsonrpc.Client] returns no block; test with errors.Is. An [*Error] that
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

// ErrBranches is an [ErrInconsistent] that a reorg between two answers explains.
var ErrBranches = fmt.Errorf("%w: two branches", ErrInconsistent)

// ErrNoBlock means that the heights of a range have no block, as the blocks beside them prove.
var ErrNoBlock = fmt.Errorf("%w: no block at these heights", ErrLagging)

// Inconsistent returns an error that matches [ErrInconsistent].
func Inconsistent(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInconsistent}, args...)...)
}

// Branches returns an error that matches [ErrBranches].
func Branches(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBranches}, args...)...)
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
	// Info is what the message means.
	Info Info
	// TimedOut is true if no answer arrived within the timeout.
	TimedOut bool
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
	return sentinels[e.Info.Kind]
}

var sentinels = map[Kind]error{
	Temporary: ErrTemporary, Rate: ErrTemporary, Size: ErrTemporary, Slow: ErrTemporary, Batch: ErrTemporary,
	BeyondHead: ErrLagging, UnknownBlock: ErrGone, Pruned: ErrPruned,
}

// IsNoData reports whether a node answered a call, but not with the data: another method or
// another endpoint may have it. It does not depend on the words of the answer.
func IsNoData(err error) bool {
	info := InfoOf(err)
	switch info.Kind {
	case None:
		return Contradicts(err) || IsFinal(err)
	case Rate, Slow, Batch:
		return false
	case Temporary:
		// Of the statuses above 500, most come from a gateway.
		return info.Status <= http.StatusInternalServerError
	default:
		return true
	}
}

// Contradicts reports whether err means that answers contradict themselves, each
// other or the chain.
func Contradicts(err error) bool {
	return errors.Is(err, ErrInconsistent) || errors.Is(err, ErrMismatch)
}

// IsFinal reports whether err is an answer about the chain. Another node may answer
// differently, but the same one is not called again.
func IsFinal(err error) bool {
	answers := []error{ErrLagging, ErrGone, ErrPruned, ErrNotProvable}
	return slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// IsTransient reports whether the same call may succeed later.
func IsTransient(err error) bool {
	return errors.Is(err, ErrTemporary) || Contradicts(err) || errors.Is(err, context.DeadlineExceeded)
}

// InfoOf returns the Info of an [*Error], or the zero value for other errors.
func InfoOf(err error) Info {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Info
	}
	return Info{}
}

// KindOf returns the kind of an [*Error], or None for other errors.
func KindOf(err error) Kind { return InfoOf(err).Kind }

// codeReverted is geth's code for a revert with data.
const codeReverted = 3

// revertTexts matches the messages of nodes for a call that failed in the EVM; the
// contract's own text may follow.
var revertTexts = regexp.MustCompile(`(?i)^(error: )?(execution reverted|reverted|revert\b|vm exception|vm execution error|transaction (execution )?reverted|evm error|(execution error: )?(out of gas|invalid (opcode|jump|instruction)|bad (instruction|jump)|stack (under|over)flow|stack limit|write protection|return data out of bounds|gas uint64 overflow|opcode .{1,20} not defined))`)

// IsRevert reports whether a call failed in the EVM.
func IsRevert(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Code == codeReverted || revertTexts.MatchString(e.Message))
}
