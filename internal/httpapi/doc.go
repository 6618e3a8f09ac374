// Package httpapi serves GraphQL, REST, the page, health checks and metrics over HTTP. It runs
// an executable schema and never accesses the database behind it.
//
// It guarantees that:
//   - one request costs at most what [Limits] allow;
//   - the slots are shared fairly among clients;
//   - every error has a code, is cheap, and never repeats the whole request.
//
// A request passes these steps in order: the page's origin (CORS, [Config.Origins]), the
// media types, the body, the document (sent, persisted or trusted), the limits on the
// document's shape, GraphQL's validation, the variables, the cost, the executor. It holds a
// limiter slot from the document on; a large operation waits for another slot once its cost
// is known. Bodies and answers above a few KiB reserve memory from one shared budget as they
// grow.
//
// Package batches executes a subscription like a query, one batch at a time, whenever package watch
// wakes it. Package subscribe sends its batches, over HTTP (stream.go) or a WebSocket (socket.go).
//
// Its rooms are packages of their own: failure, negotiate, parse, queries, documented, cost, admit,
// observe, execute, watch, batches, subscribe, layout, openapi, routes, respond, docs and page.
//
// Start with server.go: [New] registers the routes. Then graphql.go and rest.go follow a request, and
// package execute its operations.
//
// Specification: GraphQL over HTTP, https://graphql.github.io/graphql-over-http/draft/.
package httpapi
