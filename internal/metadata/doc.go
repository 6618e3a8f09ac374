// Package metadata turns token URIs into normalised token metadata. Open worker.go
// first: [Worker] resolves tokens from the URI to the stored record.
//
// One half is pure: [ReplaceID] and [DecodeDataURI] read URIs, [DecodeURI] the
// result of a contract call, [Text] the bytes of a token document and [Normalise]
// its content. The same input always gives the same result, every input is bounded
// before use, and all text in results is valid UTF-8 without U+0000.
//
// The other half uses the network: a [Fetcher] fetches the document of a URI, and a
// [Worker] takes tokens from a queue, calls their contracts, fetches, and stores the
// results.
//
// Token documents are untrusted. A document may be endless, packed to burst, slow or
// false, and a URL may lead to this machine or its neighbours: each is denied or
// fails alone, within bounds of time and memory. The package never changes the text
// of a field, which may be markup or a hostile URL: escaping is left to the client.
package metadata
