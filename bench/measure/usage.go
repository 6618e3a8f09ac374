package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// Memory returns the bytes of memory that the server and what belongs to it have
// for themselves: what they would give back if they ended.
func (p *Process) Memory() (int64, error) {
	var sum int64
	err := p.each(func(pid int, _ []string) error {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return fmt.Errorf("reading the memory of process %d: %w", pid, err)
		}
		for line := range bytes.Lines(text) {
			field := bytes.Fields(line)
			if len(field) < 2 || !bytes.Equal(field[0], []byte("Private_Clean:")) && !bytes.Equal(field[0], []byte("Private_Dirty:")) {
				continue
			}
			kib, err := strconv.ParseInt(string(field[1]), 10, 64)
			if err != nil {
				return fmt.Errorf("reading the memory of process %d: %w", pid, err)
			}
			sum += kib << 10
		}
		return nil
	})
	return sum, err
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
		name := bytes.LastIndexByte(text, ')')
		fields := bytes.Fields(text[name+1:])
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if name < 0 || len(fields) < 15 || err != nil {
			return fmt.Errorf("%s: not understood", path)
		}
		parent, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, field := range fields {
			stats[pid] = append(stats[pid], string(field))
		}
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
