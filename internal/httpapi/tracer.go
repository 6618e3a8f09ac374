package httpapi

import (
	"context"
	"net/http"
	"strings"
)

// Tracer makes the spans of a trace, for [Config]. Their contexts lead to those of the
// statements that an operation sends. Of a trace that is not sampled, end is nil.
type Tracer interface {
	// Request begins the span of a request. It belongs to the trace that the request's
	// headers name, if they do; end gets the pattern of the path, "" for one of no route.
	Request(ctx context.Context, h http.Header, method, id string) (_ context.Context, end func(route string, status int))
	// Operation begins the span of an operation, such as "query", with the label by which
	// metrics count it; end gets the codes of the answer's errors.
	Operation(ctx context.Context, kind, label string, cost int) (_ context.Context, end func(codes []string))
}

// matched returns the pattern that a request's path has matched, without the method.
func matched(r *http.Request) string {
	if _, path, found := strings.Cut(r.Pattern, " "); found {
		return path
	}
	return r.Pattern
}

// traced is runPatiently in a span of its own.
func (e *endpoint) traced(ctx context.Context, o operation) (done outcome) {
	ctx, end := e.Tracer.Operation(ctx, string(o.definition.Operation), brief(o.label(), longestName), o.cost)
	if end == nil {
		return e.runPatiently(ctx, o)
	}
	defer func() {
		var codes []string
		for _, err := range done.errors() {
			codes = append(codes, codeOf(err))
		}
		end(codes)
	}()
	return e.runPatiently(ctx, o)
}
