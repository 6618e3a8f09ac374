// Package batches runs subscriptions: one batch at a time, when package watch wakes it.
//
// It guarantees that:
//   - subscriptions that read the same share one execution, which none of their clients can delay;
//   - a change that wakes many of them takes half of the slots at most;
//   - a client pays for a batch once it is delivered or was searched for, while its key is valid.
//
// It does not know how a batch is sent: a [Sink] is a stream, a WebSocket or server-sent events.
//
// Start with batches.go, its only file: [Batches.Subscribe].
package batches
