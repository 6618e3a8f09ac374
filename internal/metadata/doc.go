// Package metadata turns what a token URI names into the normalised record
// that Mintburn answers with.
//
// What is here is pure: [ReplaceID] and [DecodeDataURI] read URIs, [Text] reads
// the bytes of a document and [Normalise] its content. The same input always
// gives the same answer, every input is bounded before use, all text that
// comes out is valid UTF-8 without U+0000, and nothing does I/O. A document is
// not trusted: the text of a field may be markup or a hostile URL, and it is
// passed on unchanged.
package metadata
