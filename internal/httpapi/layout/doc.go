// Package layout is what the pages in a browser have in common: the head and header of a document,
// their style sheet, the headers that isolate a page from other origins, and how a document is
// sent.
//
// It guarantees that every URL in the header is relative, so that the pages work below the path
// of a proxy.
//
// It contains no page: packages page and docs do. Start with layout.go.
package layout
