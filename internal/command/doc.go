// Package command is the program's command line: [Run] reads the arguments
// and runs one command, each in a file of its own. It wires the other packages
// together and may import all of them; only main imports it. Open run.go first.
package command
