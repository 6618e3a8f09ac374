// Package chaintest makes chains for tests and benchmarks: [Blocks] and
// [WriteRecording] generate recorded ones, the same for the same [Options] on
// every machine, a [Node] serves a scripted or [Recorded] one over JSON-RPC,
// misbehaving on request, [Anvil] runs a real node, and [Data] finds recorded
// data. It is for tests and the benchmark only. Open node.go first.
package chaintest
