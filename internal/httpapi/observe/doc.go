// Package observe is what logs, metrics and traces say of a request: its [Exchange], the lines of
// the access log, the metrics of Prometheus, and the spans of a [Tracer].
//
// It guarantees that:
//   - each request has an id, and is counted once, also if its client is gone or its answer aborted;
//   - labels are few: clients choose neither routes, nor more than 100 names of operations;
//   - no line and no label contains a document, its variables or a query string.
//
// It never changes an answer, except for the headers of the request's id and the cost. Errors that
// clients do not see are logged where they occur.
//
// Start with observer.go; exchange.go has what is known of one request.
package observe
