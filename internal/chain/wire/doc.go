// Package wire parses the JSON of blocks: headers, logs and receipts from JSON-RPC
// nodes and recordings. It also rebuilds the bloom filters and receipts roots that
// headers commit to, and decodes and proves blocks in RLP, from archives.
//
// It reads each value once, never allocates more than the length of the text
// justifies, and fails for values that do not have the form of the Ethereum JSON-RPC
// specification, except that numbers may be decimal. An error is one line of bounded
// length. The package checks that logs and receipts agree on their block, but never
// whether that block exists, is linked to another or is complete: packages jsonrpc and
// recording do that.
//
// Start with reader.go, then log.go, receipt.go and header.go; root.go computes the
// receipts root; archived.go reads RLP.
package wire
