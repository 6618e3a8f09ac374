package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"syscall"
	"time"
)

// Process is a running server.
type Process struct {
	// Address is the address of the server, host and port.
	Address string
	// Started is the time of its start.
	Started time.Time

	cmd     *exec.Cmd
	besides []int
	// last is the last line that it wrote. Read it only after drained is closed.
	last    string
	drained chan struct{}
}

// maxWait is the time that a server may take to start, and to end.
const maxWait = 30 * time.Second

var listening = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)

// Start runs a server until [Process.Stop], and waits for the first line of its
// standard error that names an address on 127.0.0.1. besides are the ids of running
// processes that work for the server; their use of the machine counts as the server's.
func Start(cmd *exec.Cmd, besides ...int) (*Process, error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	// A separate process group, so that the processes it starts can be ended with it, and
	// an interrupt from the terminal reaches it only through us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	p := &Process{Started: time.Now(), cmd: cmd, besides: besides, drained: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	address := make(chan string, 1)
	go p.drain(stderr, address)
	waiting, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	select {
	case p.Address = <-address:
		return p, nil
	case <-p.drained:
		return nil, errors.Join(fmt.Errorf("%s ended before it served: %s", cmd.Path, p.last), p.Stop())
	case <-waiting.Done():
		return nil, errors.Join(fmt.Errorf("%s did not serve within %s", cmd.Path, maxWait), p.Stop())
	}
}

// drain reads the server's output to its end.
func (p *Process) drain(stderr io.Reader, address chan<- string) {
	defer close(p.drained)
	lines, found := bufio.NewScanner(stderr), false
	for lines.Scan() {
		p.last = lines.Text()
		if match := listening.FindStringSubmatch(p.last); match != nil && !found {
			found = true
			address <- match[1]
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
}

// Stop ends the server and waits for its end.
func (p *Process) Stop() error {
	group := -p.cmd.Process.Pid
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	ending := time.AfterFunc(maxWait, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	defer ending.Stop()
	<-p.drained
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("ending %s: %w", p.cmd.Path, err)
	}
	return nil
}
