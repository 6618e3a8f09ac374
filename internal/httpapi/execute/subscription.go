package execute

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
)

// newSubscription returns a subscription from its request. It fails unless the subscription has
// one root field. Specification: GraphQL, section 5.2.3.1, where gqlparser lets aliases pass.
func (e *Executor) newSubscription(o operation, r *Request) Outcome {
	// Variables take about twice as much memory as they have bytes.
	s := &Subscription{operation: o, Client: r.Client, Stream: r.Stream, Memory: 2*r.Bytes + e.Queries.Memory(o.document)}
	s.size = nil
	s.First = keyOf(o, "")
	s.Rest = s.First
	roots := map[string]bool{}
	fastql.EachField(o.definition.SelectionSet, o.Variables, func(f *ast.Field) {
		roots[f.Alias] = true
		// A variable that occurs elsewhere too stays in the key.
		if a := f.Arguments.ForName("after"); a != nil && a.Value.Kind == ast.Variable && strings.Count(o.document.Text, "$"+a.Value.Raw) == 2 {
			s.Rest = keyOf(o, a.Value.Raw)
		}
	})
	if len(roots) != 1 {
		return Outcome{Failed: failure.New(failure.ValidationFailed, "the subscription has %d root fields: want one", len(roots)).At(o.definition.Position)}
	}
	return Outcome{Subscribed: s}
}

// keyOf identifies an operation and its variables without one.
func keyOf(o operation, without string) [sha256.Size]byte {
	variables := map[string]any{}
	for name, value := range o.Variables {
		if name != without {
			variables[name] = value
		}
	}
	// Coerced variables can be encoded, in one way.
	text, _ := json.Marshal([]any{o.document.Text, o.definition.Name, variables})
	return sha256.Sum256(text)
}

// Batch is the answer of one execution of a subscription. It never changes.
type Batch struct {
	Text []byte
	fastql.Position
	// Failed is the error that ends the subscription.
	Failed *failure.Error
}

// Batch runs a subscription in a slot of a client.
func (e *Executor) Batch(ctx context.Context, s *Subscription, client netip.Addr) *Batch {
	b := &Batch{Position: fastql.Position{After: s.After, Limit: apierror.DefaultChanges}}
	o := s.operation
	o.position, o.client = &b.Position, client
	done := e.runInSlot(ctx, client, o)
	e.Observer.Failed(done.Errors())
	text := &admit.Buffer{}
	switch err := done.AppendTo(text); {
	case err != nil:
		e.Log.ErrorContext(ctx, "writing a response", "error", err)
		b.Failed = failure.WithStatus(http.StatusInternalServerError, apierror.Internal, "internal error")
	case done.Failed != nil:
		b.Failed = done.Failed
	case b.Next == "":
		b.Failed = &failure.Error{Errors: done.Response.Errors}
	default:
		b.Text = text.Bytes()
	}
	return b
}
