// Package queries reads the GraphQL documents of requests and the variables of their operations.
//
// It guarantees that:
//   - a document that it returns is valid and within the limits, and large numbers in it are read
//     exactly;
//   - the memory of the cached documents is bounded, and shared fairly among clients;
//   - if documents are trusted, no other one is returned.
//
// It never runs an operation and does not know what one costs. Package parse has the requests.
//
// Start with queries.go: [Queries.Find] returns the document of a request. document.go reads one,
// variables.go its variables.
package queries
