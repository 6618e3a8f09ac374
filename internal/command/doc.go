// Package command is the command line of mintburn. It wires the other packages
// together and may import all of them. Only main imports it.
//
// It promises one line on standard error per error, the exit codes of [Run], and that
// an interrupted command either leaves nothing behind or can be run again to continue.
//
// Start with run.go, which lists the commands, parses arguments and runs a command. Each command is
// in a file named after it, with its flags and its Run method. What commands share is in the rooms
// below this package, which know no command:
//
//   - console and process: what a person sees, and what a command gets from its process,
//   - flags: variables, configuration files and checks of all flags,
//   - opening and state: an open database, and what is read of its state,
//   - following, serving and importing: packages indexer, httpapi and recording with a database.
package command
