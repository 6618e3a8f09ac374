// Package chaintest makes chains for tests and benchmarks. [Blocks] and
// [WriteRecording] generate them, the same for the same [Options] on every machine; a
// [Node] serves a scripted or [Recorded] one over JSON-RPC, in the [Shape] of a
// network and with any [Fault]; [Anvil] runs a real node; [Data] finds the recorded
// data.
//
// Headers, receipts roots and bloom filters of a Node are computed by go-ethereum,
// never by the code under test. Nothing outside tests and the benchmark imports it.
//
// Start with node.go, then shape.go and fault.go; blocks.go generates contents.
package chaintest
