package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type scaleCommand struct {
	Records []int  `help:"Sizes of the databases in mints and burns, ${default} unless given; 210 bytes of disk a record." default:"2000000,10000000,50000000" placeholder:"N"`
	Folder  string `help:"Folder of the databases, which are used if they exist; temporary unless given." placeholder:"PATH"`
	Rounds  int    `help:"How often each database is measured, ${default} unless given." default:"3" placeholder:"N"`
	sampling
}

// Validate checks constraints that the flag types cannot express.
func (c *scaleCommand) Validate() error {
	if c.Rounds < 1 {
		return fmt.Errorf("--rounds: got %d, want at least 1", c.Rounds)
	}
	for _, records := range c.Records {
		if err := c.run(records).Validate(); err != nil {
			return err
		}
	}
	return nil
}

// run returns the command that measures one database.
func (c *scaleCommand) run(records int) *runCommand {
	return &runCommand{Records: records, sampling: c.sampling}
}

// Run measures and prints a table of the best of all rounds.
func (c *scaleCommand) Run(ctx context.Context) error {
	return withProgram(ctx, "", func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout, os.Stderr) })
}

// measure measures our server on each database in each round, because the machine's
// speed varies. dir is for files.
func (c *scaleCommand) measure(ctx context.Context, program, dir string, out, log io.Writer) error {
	var matches []*match
	r := &results{Clients: c.Clients, For: c.For}
	for _, records := range c.Records {
		db := filepath.Join(cmp.Or(c.Folder, dir), fmt.Sprintf("%d.db", records))
		m, err := c.run(records).match(ctx, program, db, log)
		if err != nil {
			return err
		}
		m.DB = db
		matches, r.columns = append(matches, m), m.columns()
	}
	for range c.Rounds {
		for i, m := range matches {
			us, err := enter(ctx, ours, program, m.DB, m.Records, nil)
			if err != nil {
				return err
			}
			us.name = fmt.Sprintf("%d records", m.Records)
			one, err := m.run(ctx, us)
			if err != nil {
				return err
			}
			if i == len(r.Contestants) {
				r.Contestants = append(r.Contestants, one)
			}
			r.Contestants[i].keepBest(one)
		}
	}
	return r.writeScale(out)
}

// keepBest takes over the better workloads and start of other, and its memory where that
// is higher.
func (r *contestantResult) keepBest(other contestantResult) {
	for name, result := range other.Workloads {
		if result.CPU < r.Workloads[name].CPU {
			r.Workloads[name] = result
		}
	}
	r.Start, r.Memory, r.MemoryUnseen = min(r.Start, other.Start), max(r.Memory, other.Memory), max(r.MemoryUnseen, other.MemoryUnseen)
}

// writeScale writes a table of all databases, and one of their figures divided by those
// of the first.
func (r *results) writeScale(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d clients; %s each. Server CPU in ms a request; private memory:\n", machine(), r.Clients, r.For)
	r.figures(&b, cpuText)
	b.WriteByte('\n')
	r.table(&b, "", []string{"start, ms", "MiB after 64 clients", "MiB after unseen documents"}, func(c *contestantResult) []string {
		return []string{fmt.Sprintf("%.0f", ms(c.Start)), mib(c.Memory), mib(c.MemoryUnseen)}
	})
	b.WriteString("\nBy the first, CPU a request; the mean is geometric and leaves out totals and buckets:\n")
	first := &r.Contestants[0]
	for _, names := range r.columns {
		b.WriteByte('\n')
		r.table(&b, "", append(slices.Clone(names), "mean"), func(c *contestantResult) []string {
			if c == first {
				return nil
			}
			return ratios(names, c, first, cpu)
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}
