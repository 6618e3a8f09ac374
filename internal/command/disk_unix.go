//go:build linux || darwin

package command

import "syscall"

// diskOf returns the bytes of the file system that has a file, and how many of them are
// free; known is false without a file or an answer.
func diskOf(path string) (free, size float64, known bool) {
	var s syscall.Statfs_t
	if path == "" || syscall.Statfs(path, &s) != nil {
		return 0, 0, false
	}
	block := float64(s.Bsize)
	return float64(s.Bavail) * block, float64(s.Blocks) * block, true
}
