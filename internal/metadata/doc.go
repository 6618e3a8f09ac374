// Package metadata turns what a token URI names into the normalised record
// that Mintburn answers with.
//
// One half is pure: [ReplaceID] and [DecodeDataURI] read URIs, [DecodeURI] reads
// what a contract returned, [Text] the bytes of a document and [Normalise] its
// content. The same input always gives the same answer, every input is bounded
// before use, and all text that comes out is valid UTF-8 without U+0000.
//
// The other half meets the network: a [Fetcher] gets the document of a URI, and
// a [Worker] takes tokens from a queue, asks their contracts, fetches, and
// hands back what came of it. Nothing that comes from outside is trusted. A
// document may be endless, packed to burst, slow or a lie, a URL may lead to
// the machine itself or its neighbours: each is refused or fails alone, within
// bounds of time and memory. The text of a field may be markup or a hostile
// URL, and is passed on unchanged.
package metadata
