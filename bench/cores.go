package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"mintburn/bench/measure"
)

type coresCommand struct {
	Records     int      `help:"Mints and burns to generate, ${default} unless given." default:"2000000" placeholder:"N"`
	DB          string   `help:"SQLite file to generate into, or to use if it exists; temporary unless given." placeholder:"PATH"`
	Contestants []string `help:"Contestants, of: ${enum}." enum:"static,mintburn,postgresql" default:"static,mintburn,postgresql" placeholder:"NAME"`
	sampling
}

// Validate checks constraints that the flag types cannot express.
func (c *coresCommand) Validate() error { return c.run().Validate() }

func (c *coresCommand) run() *runCommand {
	return &runCommand{Records: c.Records, DB: c.DB, sampling: c.sampling}
}

// Run measures and prints tables.
func (c *coresCommand) Run(ctx context.Context) error {
	return withProgram(ctx, "", func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout, os.Stderr) })
}

// measure measures each contestant on 1, 2, 4 and so on processors of this machine. The clients have
// the others; where none are left, they share all.
func (c *coresCommand) measure(ctx context.Context, program, dir string, out, log io.Writer) (err error) {
	db := cmp.Or(c.DB, filepath.Join(dir, "bench.db"))
	m, err := c.run().match(ctx, program, db, log)
	if err != nil {
		return err
	}
	all, err := processors()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pin(all)) }()
	for _, name := range c.Contestants {
		r := &results{Clients: c.Clients, For: c.For, columns: m.columns()}
		for n := 1; n <= len(all); n *= 2 {
			// What this process starts inherits its processors.
			if err := pin(all[:n]); err != nil {
				return err
			}
			server, err := enter(ctx, name, program, db, c.Records, m.answers)
			if err != nil {
				return err
			}
			clients, label := all[n:], fmt.Sprintf("%s, %d", server.name, n)
			if len(clients) == 0 {
				clients, label = all, label+" with the clients"
			}
			server.prepare = func(*measure.Process, *match) error { return pin(clients) }
			one, err := m.run(ctx, server)
			if err != nil {
				return fmt.Errorf("%s: %w", label, err)
			}
			one.Name = label
			r.Contestants = append(r.Contestants, one)
		}
		if err := r.writeCores(out); err != nil {
			return err
		}
	}
	return nil
}

// writeCores writes how the figures of the first result change with the number of processors.
func (r *results) writeCores(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d clients; %s each. By the number of the server's processors: CPU in ms a request; private memory:\n", machine(), r.Clients, r.For)
	r.figures(&b, cpuText)
	b.WriteByte('\n')
	r.table(&b, "", []string{"MiB after 64 clients"}, func(c *contestantResult) []string { return []string{mib(c.Memory)} })
	first := &r.Contestants[0]
	for _, figure := range []struct {
		title string
		of    func(measure.Result) float64
	}{{"Requests a second", perSecond}, {"CPU a request", cpu}} {
		fmt.Fprintf(&b, "\n%s by that of one processor:\n", figure.title)
		for _, names := range r.columns {
			b.WriteByte('\n')
			r.table(&b, "", names, func(c *contestantResult) (cells []string) {
				for _, name := range names {
					cells = append(cells, fmt.Sprintf("%.2f", figure.of(c.Workloads[name])/figure.of(first.Workloads[name])))
				}
				return cells
			})
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// processors returns the numbers of the processors that this process may use.
func processors() (list []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("reading the processors: %w", err)
	}
	for i := range len(set) * strconv.IntSize {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list, nil
}

// pin lets all threads of this process, and those that they start, run on these processors only.
func pin(to []int) error {
	var set unix.CPUSet
	for _, i := range to {
		set.Set(i)
	}
	threads, err := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		id, _ := strconv.Atoi(thread.Name())
		// A thread may have ended.
		if one := unix.SchedSetaffinity(id, &set); one != nil && !errors.Is(one, unix.ESRCH) {
			err = errors.Join(err, one)
		}
	}
	if err != nil {
		return fmt.Errorf("choosing processors: %w", err)
	}
	return nil
}
