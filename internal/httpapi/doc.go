// Package httpapi is the HTTP edge of the server: GraphQL, REST, the page, health
// and metrics. It takes an executable schema and never looks at the database behind
// it.
//
// It guarantees that one request costs at most what [Limits] allow, that clients
// take turns, and that an error has a code, costs little and never repeats the
// request. It never sends a part of an answer: an error after the first byte cannot
// occur.
//
// A request passes, in this order: the page's origin (CORS, [Config.Origins]), the
// media types, the body, the document (sent, persisted or trusted), the limits of
// the document's shape, GraphQL's validation, the variables, the cost, the
// executor. From the document on, it has a slot of the limiter; a large operation
// waits for another slot once its cost is known. Bodies and answers beyond a few
// KiB take memory from one budget while they grow.
//
// Around that, each request has an exchange (endpoint.go) with its id, from which the
// access log, metrics and traces are written.
//
// Start with server.go: [New] wires the routes. Then endpoint.go and operation.go
// follow a request.
//
// Specification: GraphQL over HTTP, https://graphql.github.io/graphql-over-http/draft/.
package httpapi
