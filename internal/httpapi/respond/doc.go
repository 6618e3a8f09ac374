// Package respond sends the outcomes of operations, and errors, as HTTP answers: their status, their
// headers, and their body, compressed.
//
// It guarantees that:
//   - no part of an answer is sent before the whole exists, so no error can occur after the first
//     byte;
//   - a large answer is sent only if memory is left for it, and compressed only in a slot;
//   - a cache may store an answer only if it is final.
//
// Start with sender.go; caching.go has what caches may do with an answer.
package respond
