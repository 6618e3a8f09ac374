package following

import (
	"runtime"
	"syscall"
)

// lowNice is the niceness of threads that follow a chain. Serving threads, in this
// process or in others, run first.
const lowNice = 15

// lowPriority locks the calling goroutine to a thread with low priority. The thread ends
// with the goroutine.
func lowPriority() {
	runtime.LockOSThread()
	// On Linux this sets the niceness of one thread. A failure costs only the priority.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), lowNice)
}
