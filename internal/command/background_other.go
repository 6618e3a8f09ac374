//go:build !linux

package command

// background does nothing where threads have no priority of their own.
func background() {}
