// Package demo holds a small recorded chain, so that a newcomer's first command
// needs no network.
//
// The recording is an import file as every other: blocks 0 to 360 of a test
// chain (chain id 31337) with their receipts, and token documents of four of
// its collections. Transactions are listed by hash only; headers and receipts
// are whole, so that block hashes and receipt roots can still be proved. Links to the
// web site of the recording are replaced: pictures are data: URIs.
// generate.go builds the file.
package demo

import (
	_ "embed"
	"io"
	"strings"
)

// ChainID is the EIP-155 id of the recorded chain.
const ChainID = 31337

//go:embed chain.ndjson.gz
var recording string

// Open returns the recording as a gzip-compressed import file: NDJSON, a block
// with its receipts a line, then a token document a line. Every call returns a
// reader of its own.
func Open() io.Reader { return strings.NewReader(recording) }
