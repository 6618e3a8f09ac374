package command

import (
	"runtime"
	"syscall"
)

// backgroundNice is the niceness of threads that follow a chain: what answers
// requests, in this process or in others, goes before them.
const backgroundNice = 15

// background gives the rest of the calling goroutine a thread of its own, of a
// low priority. The thread ends with the goroutine.
func background() {
	runtime.LockOSThread()
	// Linux has a niceness for each thread. Without it the work is done, too.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), backgroundNice)
}
