// Package chaintest provides chains for tests and benchmarks:
//   - [Blocks] and [WriteRecording] generate a chain, which depends only on the [Options].
//   - A [Node] serves a scripted or [Recorded] chain over JSON-RPC, in the [Shape] of a
//     network and with any [Fault].
//   - [Era1] and [Ere] write archives of the execution clients.
//   - [Anvil] runs a real node.
//   - [Data] finds the recorded data.
//
// A Node computes headers, receipts roots and bloom filters with go-ethereum, never with
// the code under test. Only tests and the benchmark import this package.
//
// Start with node.go, then read shape.go and fault.go. blocks.go generates contents.
package chaintest
