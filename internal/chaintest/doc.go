// Package chaintest makes chains for tests and benchmarks: [Blocks] and
// [WriteRecording] generate recorded ones, the same for the same [Options] on
// every machine, a [Node] serves a scripted or [Recorded] one over JSON-RPC,
// misbehaving as it is told to, [Anvil] runs a real node, and [Data] finds what
// was recorded. It is for tests and the benchmark only.
package chaintest
