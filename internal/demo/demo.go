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
