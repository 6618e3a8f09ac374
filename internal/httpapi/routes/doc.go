// Package routes has the REST routes: their paths, the GraphQL document of each, its variables
// from a request, the answer from that of the document, the body of an error, and the description
// of all of it in OpenAPI.
//
// It guarantees that:
//   - REST and GraphQL cannot differ, because a route is a document;
//   - the OpenAPI document follows from the routes, the schema and the table of responses, and so
//     does the status of an error.
//
// It runs no document and sends no answer: package httpapi does.
//
// Start with routes.go: [New] has the table. docs/api.md#rest-routes.
package routes
