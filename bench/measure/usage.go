package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc: USER_HZ, which is 100 on every
// architecture that Go knows.
const tick = time.Second / 100

// CPU returns the processor time that the server and what belongs to it have
// taken, to 10 ms.
func (p *Process) CPU() (time.Duration, error) {
	var sum time.Duration
	err := p.each(func(pid int, stat []string) error {
		// Fields 14 to 17 of proc_pid_stat(5), of which two are gone here: user
		// and system time, and those of children that have ended.
		for _, field := range stat[11:15] {
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return fmt.Errorf("reading the processor time of process %d: %w", pid, err)
			}
			sum += time.Duration(n) * tick
		}
		return nil
	})
	return sum, err
}

// Memory returns the bytes of private memory of the server and its processes: what
// they would give back if they ended.
func (p *Process) Memory() (sum int64, err error) {
	err = p.each(func(pid int, _ []string) error {
		n, err := size(pid, "smaps_rollup", "Private_Clean:", "Private_Dirty:")
		sum += n
		return err
	})
	return sum, err
}

// ResetPeak lets [Process.Peak] begin anew and returns the bytes that the server has
// resident now.
func (p *Process) ResetPeak() (now int64, err error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		return 0, fmt.Errorf("resetting the peak of memory: %w", err)
	}
	return size(p.cmd.Process.Pid, "status", "VmRSS:")
}

// Peak returns the most bytes that the server has had resident.
func (p *Process) Peak() (int64, error) { return size(p.cmd.Process.Pid, "status", "VmHWM:") }

// size returns the sum in bytes of some lines of a file in /proc/PID, which are in
// KiB.
func size(pid int, file string, names ...string) (sum int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	for line := range strings.Lines(string(text)) {
		if field := strings.Fields(line); len(field) > 1 && slices.Contains(names, field[0]) {
			kib, err := strconv.ParseInt(field[1], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
			}
			sum += kib << 10
		}
	}
	return sum, nil
}

// each calls f with the server, what works for it, and all their descendants;
// stat is what /proc/PID/stat says after the name.
func (p *Process) each(f func(pid int, stat []string) error) error {
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return err
	}
	stats, children := map[int][]string{}, map[int][]int{}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			// It ended meanwhile; if it is ours, it is missed below.
			continue
		}
		// The name, in parentheses, may hold spaces.
		name := bytes.LastIndexByte(text, ')')
		fields := strings.Fields(string(text[name+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if name < 0 || len(fields) < 15 || err != nil {
			return fmt.Errorf("%s: not understood", path)
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		stats[pid] = fields
		children[parent] = append(children[parent], pid)
	}
	if stats[p.cmd.Process.Pid] == nil {
		return fmt.Errorf("%s has ended", p.cmd.Path)
	}
	for queue := append([]int{p.cmd.Process.Pid}, p.besides...); len(queue) > 0; queue = queue[1:] {
		queue = append(queue, children[queue[0]]...)
		if err := f(queue[0], stats[queue[0]]); err != nil {
			return err
		}
	}
	return nil
}
