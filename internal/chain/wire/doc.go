// Package wire reads the JSON of blocks: headers, logs and receipts as JSON-RPC
// nodes give them and recordings hold them. It also rebuilds what headers commit
// to: bloom filters and receipts roots.
//
// It reads each value once, allocates nothing from a length that the text does
// not have, and fails for values of another form than the Ethereum JSON-RPC
// specification's, except that numbers may be decimal. An error is one line of
// bounded length. It checks that logs and receipts agree on their block, and
// never whether that block exists, follows another or is complete: packages
// jsonrpc and recording decide that.
//
// Start with reader.go, then log.go, receipt.go and header.go; root.go has the
// receipts trie.
package wire
