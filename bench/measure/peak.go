package measure

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// ResetPeak lets [Process.Peak] begin anew and returns the bytes that the
// server has resident now.
func (p *Process) ResetPeak() (now int64, err error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		return 0, fmt.Errorf("resetting the peak of memory: %w", err)
	}
	return p.status("VmRSS:")
}

// Peak returns the most bytes that the server has had resident.
func (p *Process) Peak() (int64, error) { return p.status("VmHWM:") }

// status returns a size of proc_pid_status(5).
func (p *Process) status(name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("reading memory: %w", err)
	}
	for line := range bytes.Lines(text) {
		if field := bytes.Fields(line); len(field) > 1 && string(field[0]) == name {
			kib, err := strconv.ParseInt(string(field[1]), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("reading memory: no %s", name)
}
