//go:build unix

package command

import "syscall"

// openFiles returns how many files and connections the process may have open.
// Go has raised the limit to the hard one.
func openFiles() (n uint64, known bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true //nolint:unconvert // It is signed on some systems.
}
