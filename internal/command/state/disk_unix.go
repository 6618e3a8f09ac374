//go:build linux || darwin

package state

import "syscall"

// Writable reports whether this process may write a file, or files in a folder.
func Writable(path string) bool { return syscall.Access(path, 2) == nil }

// DiskOf returns the free bytes and the size of the file system that holds a file. known is
// false if path is empty or the system does not answer.
func DiskOf(path string) (free, size float64, known bool) {
	var s syscall.Statfs_t
	if path == "" || syscall.Statfs(path, &s) != nil {
		return 0, 0, false
	}
	block := float64(s.Bsize)
	return float64(s.Bavail) * block, float64(s.Blocks) * block, true
}
