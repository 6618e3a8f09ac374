//go:build unix

package serving

import "syscall"

// OpenFiles returns the limit on open files and connections of the process, which Go has
// raised to the hard limit.
func OpenFiles() (n uint64, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true //nolint:unconvert // It is signed on some systems.
}
