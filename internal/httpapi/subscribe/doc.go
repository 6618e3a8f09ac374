// Package subscribe sends the results of operations as streams: [Stream] as GraphQL over SSE
// (https://github.com/enisdenjo/graphql-sse, "distinct connections mode") or as Apollo's multipart
// subscriptions, and [Socket] over a WebSocket (https://github.com/enisdenjo/graphql-ws, protocol
// graphql-transport-ws). It knows nothing of GraphQL beyond these protocols: a result is JSON.
//
// It guarantees that:
//   - a client that does not read is disconnected after [Times].Write;
//   - a stream ends at once, and as its protocol wants it, when the server stops.
//
// Start with stream.go; socket.go is independent of it.
package subscribe
