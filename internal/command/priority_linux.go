package command

import (
	"runtime"
	"syscall"
)

// lowNice is the niceness of threads that follow a chain, so that servers, in this
// process or in others, go first.
const lowNice = 15

// lowPriority gives the calling goroutine a thread of its own with a low priority.
// The thread ends with the goroutine.
func lowPriority() {
	runtime.LockOSThread()
	// Linux has a niceness for each thread. A failure costs only the priority.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), lowNice)
}
