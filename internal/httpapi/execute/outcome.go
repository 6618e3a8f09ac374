package execute

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
)

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
