//go:build !linux

package following

// lowPriority does nothing: only Linux has a niceness per thread.
func lowPriority() {}
