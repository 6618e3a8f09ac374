// Package console writes for the person at the terminal: progress as a bar or as log lines,
// errors as one line without secrets, and words for a shell. It knows no command.
//
// Start with terminal.go, which has [Console].
package console
