// Package docs serves the documentation of the repository at /docs: each Markdown file as a page
// with a table of contents, and as it is; the sections of long files as pages of their own; a search
// over all pages; a reference of the GraphQL schema, as a document that is made at the first request; a
// page of the REST routes, from their description in OpenAPI; and /llms.txt.
//
// It guarantees that:
//   - a relative link of a document leads to the linked page or file at /docs as well, if the
//     binary contains that file, and headings have the ids that GitHub gives them;
//   - the page of a file whose sections have pages of their own leads from each heading's id to it;
//   - no page needs its script, and none loads anything from another server;
//   - every URL is relative, so that the pages work below the path of a proxy.
//
// It trusts the documents: HTML in them is not escaped. It renders them all at the first request,
// and keeps them.
//
// Start with docs.go, which serves the paths. library.go finds the documents and divides them,
// contents.go reads their groups from README.md, markdown.go renders them, search.go searches
// them, graphql.go describes the schema, rest.go the routes. docs.js gives examples their colours, a button that copies and
// the server's own address: only the browser knows the scheme and path that a proxy gives a server.
package docs
