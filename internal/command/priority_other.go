//go:build !linux

package command

// lowPriority does nothing: only Linux has a niceness per thread.
func lowPriority() {}
