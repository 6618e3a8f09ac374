// Package demo holds a small recorded chain, so that a newcomer's first command
// needs no network.
//
// The recording is an import file like any other: blocks 0 to 360 of a test
// chain (chain id 31337) with their receipts, and token documents of four of
// its collections. Transactions are listed by hash only; headers and receipts
// are complete, so that block hashes and receipt roots can be proved. Links to the
// recorded web site are replaced: pictures are data: URIs.
// generate.go builds the file.
package demo
