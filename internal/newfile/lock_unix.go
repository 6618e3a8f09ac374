//go:build linux || darwin

package newfile

import (
	"errors"
	"os"
	"syscall"
)

// hold locks an open file until it is closed or its process ends. Where the file system has no
// locks, another process may take the file for a leftover.
func hold(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }

// free reports whether no process holds a file. A missing file is free.
func free(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// release ends a hold.
func release(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

func tryHold(file *os.File) bool {
	return !errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
