//go:build !linux

package command

// lowPriority does nothing: only Linux has a niceness for each thread.
func lowPriority() {}
