// Package metadata turns a token URI into a normalised record.
//
// One half is pure: [ReplaceID] and [DecodeDataURI] read URIs, [DecodeURI] reads
// what a contract returned, [Text] the bytes of a document and [Normalise] its
// content. The same input always gives the same result, every input is bounded
// before use, and all text that comes out is valid UTF-8 without U+0000.
//
// The other half uses the network: a [Fetcher] fetches the document of a URI, and
// a [Worker] takes tokens from a queue, calls their contracts, fetches, and
// returns the result. Documents are untrusted: they may be endless, compressed to
// burst, slow or wrong, and their URLs may lead to this machine or its
// neighbours. Each is refused or fails alone, within bounds of time and memory.
// Texts are passed on unchanged, also if they are markup or a hostile URL.
//
// Open worker.go first, then fetch.go.
package metadata
