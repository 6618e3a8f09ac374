// Package command is the command line of mintburn. It wires the other packages
// together and may import all of them. Only main imports it.
//
// It promises one line on standard error per error, the exit codes of [Run], and that
// an interrupted command either leaves nothing behind or can be run again to continue.
//
// Start with run.go, which lists the commands, parses arguments and runs a command.
// Each command is in a file named after it, with its flags and its Run method. Flags
// that several commands share are in structs that they embed: database, nodes,
// decoding, following (follow.go), resolving (metadata.go) and listening. Other files:
//
//   - importer.go and batch.go store recordings,
//   - follow.go, audit.go, adapters.go and health.go run package indexer,
//   - listening.go, ready.go, metrics.go, state.go and examples.go run package httpapi,
//   - terminal.go shows the progress of a follower at the head,
//   - retry.go, signal.go and progress.go serve all commands.
package command
