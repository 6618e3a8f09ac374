// Package state reads the state of a database for those who watch it: whether a server is ready,
// how far the data is, and how much of the disk is free. It changes nothing.
//
// Start with state.go.
package state
