// Package openapi has the types of an OpenAPI 3.1 document, as far as the description of the REST
// routes needs them: package routes fills one in, and package docs shows it.
//
// It guarantees that the JSON of a document has its paths, its components and the fields of its
// objects in their order.
//
// Start with openapi.go; schema.go has the types of values.
//
// Specification: https://spec.openapis.org/oas/v3.1.1.html.
package openapi
