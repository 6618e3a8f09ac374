// Package demo embeds a small recorded chain, so that a newcomer's first command
// needs no network.
//
// The recording is an ordinary import file. It contains blocks 0 to 360 of a test
// chain (chain id 31337) with their receipts, and token documents of four
// collections. Transactions are listed by hash only. Headers and receipts are complete, so
// block hashes and receipts roots can be proven. Links to the recorded web site are
// replaced, and pictures are data: URIs. generate.go builds the file.
//
// [Live] adds blocks with a collection of their own above the recorded ones.
package demo
