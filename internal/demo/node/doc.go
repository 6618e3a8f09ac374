// Node serves the demo's recorded chain as a JSON-RPC node, for the tutorial:
//
//	go run ./internal/demo/node
//
// The chain happens now: block 600 has the time of the start, and the next recorded block follows
// every 12 seconds, then empty ones. So hashes differ from those of the recording, and blocks can be
// proved as those can. Contracts return their documents as data: URIs.
package main
