// Package failure is the reason why a request, or one operation of it, does not run: an
// [Error] with its GraphQL errors, the HTTP status and the header that the status requires.
//
// It guarantees that:
//   - every error has a code in its extensions: one of package nft, or one declared here;
//   - a document's errors are few and short, however long the document is, see [InDocument].
//
// It never writes an answer and never logs. Package httpapi encodes an Error, as GraphQL or
// as REST, and counts its codes. The errors of resolvers are not of this package: they
// belong to an operation that runs.
//
// Start with failure.go, the only file: [New] is for a request that HTTP and JSON accept but
// the API does not, [WithStatus] for one that HTTP already rejects.
package failure
