// Package documented has the names that are documented for REST and for the page's example
// tabs: which fields a resource has, in order and in snake case, and which of our names is
// meant by a name of another API.
//
// It guarantees that the routes and the tabs show the same fields, because both select what
// this package lists, and that a documented field and its GraphQL field differ by case only.
//
// It is text only: it knows neither the schema nor a request, and never fails. That the schema
// has the fields is checked by the routes' documents, which are validated when the server
// starts.
//
// Start with fields.go, which also translates between the two cases. names.go has the names of
// other APIs.
package documented
