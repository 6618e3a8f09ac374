// Package process is the process that a command runs in: its arguments, streams, clock and log,
// what it counts for /metrics, and what its exit says. It knows no command.
//
// Start with env.go.
package process
