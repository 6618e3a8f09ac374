// Package execute answers operations: it finds the document of a request, checks its cost, waits for
// a slot, charges the client, and runs it on one snapshot of the data.
//
// It guarantees that:
//   - an operation runs only within the limits, in a slot, and is paid for;
//   - one that meets an unavailable database runs again for a short time, because no part of its
//     answer was sent;
//   - a panic is logged and becomes an internal error.
//
// It knows no HTTP beyond the status of an error: package httpapi reads requests and sends outcomes.
//
// Start with answer.go: [Executor.Answer] and [Executor.AnswerAll]. executor.go runs an operation,
// subscription.go one batch of a subscription.
package execute
