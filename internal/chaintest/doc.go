// Package chaintest makes chains for tests and benchmarks: [Blocks] and
// [WriteRecording] generate recorded ones, the same for the same [Options] on
// every machine, a [Node] serves a scripted or [Recorded] one over JSON-RPC,
// misbehaving as it is told to, and [Anvil] runs a real node. It is for tests
// only.
package chaintest
