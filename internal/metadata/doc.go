// Package metadata turns token URIs into normalised token metadata. Start with worker.go:
// [Worker] resolves tokens, from the URI to the stored record.
//
// One half is pure. [ReplaceID] and [DecodeDataURI] process URIs, [DecodeURI] decodes the
// result of a contract call, [Text] the bytes of a token document, and [Normalise] its
// content. These functions are deterministic and bound every input before they use it. All
// text in their results is valid UTF-8 without U+0000.
//
// The other half uses the network. A [Fetcher] fetches the document of a URI. A
// [Worker] claims tokens from a queue, calls their contracts, fetches the documents, and
// stores the results.
//
// Token documents are untrusted. A document may be endless, a decompression bomb, slow or
// false, and a URL may lead to this machine or its network. The package denies or fails
// each of these without affecting other documents, within bounds of time and memory. It
// never sanitises the text of a field, which may be markup or a hostile URL: escaping is
// left to the client.
package metadata
