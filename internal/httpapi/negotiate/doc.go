// Package negotiate is what a client and the server agree on: the version of HTTP, the media type
// of the answer, its content coding, and the form of the body that the client sends.
//
// It guarantees that:
//   - weights and wildcards count as RFC 9110 says, and the same way for media types and
//     codings;
//   - a client without a preference gets JSON that is not compressed;
//   - a body with a content type that a browser sends to another origin without a preflight
//     request is refused.
//
// It never reads or writes a body of a request. It compresses whole answers, in memory.
//
// Start with mediatype.go, which chooses the media type of the answer, checks that of the body, and
// has the syntax of weights. coding.go chooses the coding and applies it. protocol.go has the
// versions of HTTP.
//
// Specification: RFC 9110, section 12; GraphQL over HTTP, "Media Types".
package negotiate
