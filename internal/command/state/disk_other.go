//go:build !linux && !darwin

package state

// Writable returns true: the permission is known on Linux and macOS only.
func Writable(string) bool { return true }

// DiskOf returns known false: the size is known on Linux and macOS only.
func DiskOf(string) (free, size float64, known bool) { return 0, 0, false }
