// Package art contains the collections of the demo: their addresses, their documents and the
// program that draws their pictures. The recording and the live blocks both use it.
//
// A document depends only on the collection, the token id and, for an ember, the burned sparks.
// Pictures are data: URIs of small SVGs.
//
// Start with collection.go; the pictures are in the files named after the collections.
package art
