package httpapi

import (
	"context"
	"net/http"
	"strings"

	"mintburn/internal/httpapi/failure"
)

// Tracer creates the spans of a trace, for [Config]. The returned contexts are the parents of
// the statement spans. end is nil if the trace is not sampled.
type Tracer interface {
	// Request begins the span of a request, in the trace that the request's headers name, if
	// any. end gets the pattern of the path, "" if no route matched.
	Request(ctx context.Context, h http.Header, method, id string) (_ context.Context, end func(route string, status int))
	// Operation begins the span of an operation. kind is for example "query", label the
	// operation's name in metrics. end gets the codes of the answer's errors.
	Operation(ctx context.Context, kind, label string, cost int) (_ context.Context, end func(codes []string))
}

// matched returns the pattern that matched a request's path, without the method.
func matched(r *http.Request) string {
	if _, path, found := strings.Cut(r.Pattern, " "); found {
		return path
	}
	return r.Pattern
}

// traced calls runPlain in a new span.
func (e *endpoint) traced(ctx context.Context, o operation) (done outcome) {
	ctx, end := e.Tracer.Operation(ctx, string(o.definition.Operation), failure.Brief(o.label(), longestName), o.cost)
	if end == nil {
		return e.runPlain(ctx, o)
	}
	defer func() {
		var codes []string
		for _, err := range done.errors() {
			codes = append(codes, failure.CodeOf(err))
		}
		end(codes)
	}()
	return e.runPlain(ctx, o)
}
