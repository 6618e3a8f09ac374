// Generate writes internal/demo/chain.ndjson.gz, the recording of the demo:
//
//	go run ./internal/demo/generate
//
// It makes up all of it: the accounts, their transactions and the blocks. With the same Go version,
// it always writes the same bytes.
//
// Start with plan.go, the moments of the story; story.go plays them, chain.go makes blocks of them.
package main
