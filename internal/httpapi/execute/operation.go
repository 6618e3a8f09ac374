package execute

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/netip"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
)

// Request is a request for one operation, not checked yet.
type Request struct {
	parse.Request
	// Document is set if the server provides it, as for the REST routes.
	Document *queries.Document
	// Public is true for a GET, whose answer every cache may store.
	Public bool
	// Stream is the form in which the client accepts several answers, or "".
	Stream negotiate.MediaType
	// Bytes is the length of the request, set if it has a stream.
	Bytes int
	// Client is the client that sent the request.
	Client netip.Addr
	// Chain is the chain whose data the operation reads.
	Chain *Chain
	// Size bounds the answer, together with the others of a batch.
	Size *admit.AnswerSize
	// Paid is true if the client was charged for the operation, or must not be.
	Paid bool
}

// operation is ready to run: its document is valid, and its variables and cost are known.
type operation struct {
	Chain      *Chain
	document   *queries.Document
	definition *ast.OperationDefinition
	Variables  map[string]any
	name       string
	Cost       int
	// Proofs reports that the operation selects proofs of blocks, for which it waits for a node.
	Proofs bool
	// size bounds the answer.
	size *admit.AnswerSize
	// position is set for one batch of a subscription, and client is then the one whose budget
	// it uses.
	position *fastql.Position
	client   netip.Addr
}

// limiter returns the limiter in which an operation runs.
func (o operation) limiter() *admit.Limiter {
	if o.Proofs {
		return o.Chain.Proofs
	}
	return o.Chain.Limiter
}

// enter moves an operation from a slot in which it was read to one of its chain.
func (o operation) enter(ctx context.Context, s *admit.Slot, from *admit.Limiter, client netip.Addr) (failed *failure.Error) {
	to := o.limiter()
	if to == from {
		return s.Raise(ctx, o.Cost)
	}
	s.Leave()
	*s, failed = to.EnterFor(ctx, client, o.Cost)
	return failed
}

// Subscription is a subscription that runs. It holds no slot and no snapshot between batches.
type Subscription struct {
	operation
	Client netip.Addr
	// Stream is the form in which the client accepts the batches.
	Stream negotiate.MediaType
	// First identifies the document and all variables, Rest those without that of after, which
	// only the first batch uses.
	First, Rest [sha256.Size]byte
	// After is the cursor to continue after, or "" for the first batch.
	After string
	// Memory is what the subscription holds, in bytes.
	Memory int
}

// label returns an operation's name in logs and metrics: the REST route, the name in the
// document, or [observe.Nameless].
func (o operation) label() string {
	switch {
	case o.document.Route != "":
		return o.document.Route
	case o.definition.Name != "":
		return o.definition.Name
	default:
		return observe.Nameless
	}
}

// shownErrors is the maximum number of errors in the answer to an operation.
const shownErrors = 100

// fewErrors replaces the errors beyond shownErrors with one that reports their number.
func fewErrors(list gqlerror.List) gqlerror.List {
	more := failure.New(apierror.QueryTooCostly, "%d more errors are left out", len(list)-shownErrors)
	return append(list[:shownErrors:shownErrors], more.Errors...)
}

// Outcome is the result of one operation: a response or an error.
type Outcome struct {
	Response *graphql.Response
	Failed   *failure.Error
	// Subscribed is set, and nothing else, if the operation is a subscription, which has not run.
	Subscribed *Subscription
	// Final is set if the answer cannot change any more.
	Final *Final
	// Size holds the memory of the response.
	Size *admit.AnswerSize
}

// Final says of an answer to a GET whether caches may store it.
type Final struct {
	// Is reports that the answer cannot change any more, or grows only with the finalized blocks.
	Is bool
	// Verified reports that the answer's blocks are proved complete, and that it doesn't grow.
	Verified bool
}

// Errors returns the errors in the answer.
func (o Outcome) Errors() gqlerror.List {
	if o.Failed != nil {
		return o.Failed.Errors
	}
	return o.Response.Errors
}

// AppendTo writes the response as JSON, without data if the operation did not run.
func (o Outcome) AppendTo(b *admit.Buffer) error {
	list := o.Errors()
	var extensions map[string]any
	var data []byte
	if o.Failed == nil {
		data, extensions = o.Response.Data, o.Response.Extensions
	}
	separator := "{"
	member := func(name string, value any) error {
		text, err := json.Marshal(value)
		b.WriteString(separator + `"` + name + `":`)
		b.Write(text)
		separator = ","
		return err
	}
	if len(list) > 0 {
		if err := member("errors", list); err != nil {
			return err
		}
	}
	if data != nil {
		b.Grow(len(data) + 64)
		b.WriteString(separator + `"data":`)
		b.Write(data)
		separator = ","
	}
	if len(extensions) > 0 {
		if err := member("extensions", extensions); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// InternalError is the answer if a response cannot be encoded.
const InternalError = `{"errors":[{"message":"internal error","extensions":{"code":"` + string(apierror.Internal) + `"}}]}`
