// Package httpapi is the edge of the server: it reads GraphQL over HTTP, holds
// what one request may ask within limits, runs what is left, and serves the
// page for people.
//
// A request passes, in this order: the page's origin (CORS, [Config.Origins]),
// the media types, the body, the document (sent, persisted or trusted), the
// limits of the document's shape, GraphQL's validation, the variables, the
// cost, the executor. What stops it on the way is a refusal: it has a code,
// costs little, and never repeats the request.
//
// From the document on it has a slot of the limiter, in which clients take
// turns; large operations wait for another one when their cost is known. Bodies
// and answers beyond a few KiB are counted in one memory budget while they grow.
//
// Specification: GraphQL over HTTP, https://graphql.github.io/graphql-over-http/draft/.
package httpapi
