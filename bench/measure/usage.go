package measure

import (
	"fmt"
	"os"
	"time"

	"github.com/prometheus/procfs"
)

// tick is the unit of processor times in /proc: USER_HZ, which is 100 on every
// architecture that Go knows.
const tick = time.Second / 100

// CPU returns the processor time of the server and its processes, to 10 ms.
func (p *Process) CPU() (time.Duration, error) {
	var sum time.Duration
	err := p.each(func(_ procfs.Proc, stat procfs.ProcStat) error {
		// This includes the time of children that have ended.
		sum += time.Duration(int(stat.UTime+stat.STime)+stat.CUTime+stat.CSTime) * tick
		return nil
	})
	return sum, err
}

// Memory returns the bytes of private memory of the server and its processes, which would
// become free if they ended.
func (p *Process) Memory() (sum int64, err error) {
	err = p.each(func(process procfs.Proc, _ procfs.ProcStat) error {
		maps, err := process.ProcSMapsRollup()
		sum += int64(maps.PrivateClean + maps.PrivateDirty)
		return err
	})
	return sum, err
}

// ResetPeak resets [Process.Peak], and returns the server's resident bytes now.
func (p *Process) ResetPeak() (now int64, err error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		return 0, fmt.Errorf("resetting the peak of memory: %w", err)
	}
	status, err := p.status()
	return int64(status.VmRSS), err
}

// Peak returns the server's highest number of resident bytes.
func (p *Process) Peak() (int64, error) {
	status, err := p.status()
	return int64(status.VmHWM), err
}

func (p *Process) status() (status procfs.ProcStatus, err error) {
	process, err := procfs.NewProc(p.cmd.Process.Pid)
	if err == nil {
		status, err = process.NewStatus()
	}
	return status, err
}

// each calls f with the ids of the server, of the processes that work for it, and of all
// their descendants.
func (p *Process) each(f func(procfs.Proc, procfs.ProcStat) error) error {
	processes, err := procfs.AllProcs()
	if err != nil {
		return err
	}
	found, children := map[int]func() error{}, map[int][]int{}
	for _, process := range processes {
		stat, err := process.Stat()
		if err != nil {
			// The process has ended. If it is one of the queue's first, each fails below.
			continue
		}
		found[process.PID] = func() error { return f(process, stat) }
		children[stat.PPID] = append(children[stat.PPID], process.PID)
	}
	for queue := append([]int{p.cmd.Process.Pid}, p.besides...); len(queue) > 0; queue = queue[1:] {
		queue = append(queue, children[queue[0]]...)
		visit := found[queue[0]]
		if visit == nil {
			return fmt.Errorf("%s has ended", p.cmd.Path)
		}
		if err := visit(); err != nil {
			return err
		}
	}
	return nil
}
