// Package parse reads the requests of clients, from JSON and from URLs, without looking at their
// documents. A mistake in one request of a batch is an error of that request only.
//
// It guarantees that:
//   - a body has bounded numbers of requests and of values in variables, and a bounded depth;
//   - errors name a place of the JSON and never repeat it.
//
// Start with parse.go.
package parse
