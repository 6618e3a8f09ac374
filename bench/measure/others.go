package measure

import (
	"errors"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// Others starts to watch the machine, and returns a function that returns the share of its
// processors that was used since then by neither the server nor this process. That includes
// the time that a hypervisor took.
func (p *Process) Others() func() (share float64, err error) {
	start := time.Now()
	before, beforeErr := p.others()
	return func() (float64, error) {
		after, err := p.others()
		share := (after - before).Seconds() / time.Since(start).Seconds() / float64(runtime.NumCPU())
		// The kernel rounds.
		return min(1, max(0, share)), errors.Join(beforeErr, err)
	}
}

// others returns the processor time of all processes but the server's and this one.
func (p *Process) others() (time.Duration, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, err
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, err
	}
	server, err := p.CPU()
	if err != nil {
		return 0, err
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	// Guests' time is part of User and Nice.
	t := stat.CPUTotal
	all := time.Duration((t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal) * float64(time.Second))
	return all - server - time.Duration(own.Utime.Nano()+own.Stime.Nano()), nil
}
