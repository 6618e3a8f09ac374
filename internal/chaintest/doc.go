// Package chaintest makes chains for tests and benchmarks: [Blocks] and
// [WriteRecording] generate recorded ones, the same for the same [Options] on
// every machine. It is for tests only.
package chaintest
