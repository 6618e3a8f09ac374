package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mintburn/bench/workload"
)

type runCommand struct {
	Records     int      `help:"Mints and burns to generate, ${default} unless given." default:"200000" placeholder:"N"`
	DB          string   `help:"SQLite file to generate into, or to use if it exists; the summary of Mercurius goes beside it; temporary unless given." placeholder:"PATH"`
	Contestants []string `help:"Contestants, of: ${enum}." enum:"static,hand,mintburn,postgresql,mercurius,cluster,postgraphile" default:"static,hand,mintburn" placeholder:"NAME"`
	JSON        string   `help:"File to also write the figures to, as JSON." placeholder:"PATH"`
	sampling
}

// sampling holds the flags of commands that measure workloads.
type sampling struct {
	Clients int           `help:"Connections, ${default} unless given." default:"16" placeholder:"N"`
	For     time.Duration `help:"How long each workload is measured, ${default} unless given, after a warm-up of half that time." default:"1s" placeholder:"DURATION"`
	Sets    int           `help:"Sets of variables of each workload, ${default} unless given." default:"1000" placeholder:"N"`
}

// minRecords suffices for pages of 100.
const minRecords = 5_000

// Validate checks constraints that the flag types cannot express.
func (c *runCommand) Validate() error {
	switch {
	case c.Records < minRecords:
		return fmt.Errorf("--records: got %d, want at least %d", c.Records, minRecords)
	case c.Clients < 1 || c.Clients > 1_000:
		return fmt.Errorf("--clients: got %d, want 1 to 1000", c.Clients)
	case c.Sets < 1:
		return fmt.Errorf("--sets: got %d, want at least 1", c.Sets)
	case c.For < time.Millisecond || c.For > time.Hour:
		return fmt.Errorf("--for: got %s, want 1ms to 1h", c.For)
	}
	return nil
}

// Run measures and prints tables.
func (c *runCommand) Run(ctx context.Context) error {
	return withProgram(ctx, "", func(program, dir string) error {
		results, err := c.measure(ctx, program, dir, os.Stderr)
		if err != nil {
			return err
		}
		if c.JSON != "" {
			if err := results.writeJSON(c.JSON); err != nil {
				return err
			}
		}
		return results.writeTables(os.Stdout)
	})
}

// measure runs the contestants in turn and logs its progress. program is the path of
// mintburn, dir a folder for files.
func (c *runCommand) measure(ctx context.Context, program, dir string, log io.Writer) (r *results, err error) {
	db := cmp.Or(c.DB, filepath.Join(dir, "bench.db"))
	m, err := c.match(ctx, program, db, log)
	if err != nil {
		return nil, err
	}
	r = &results{Clients: c.Clients, For: c.For, Import: m.filled, columns: m.columns()}
	for _, name := range c.Contestants {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		contestant, err := enter(ctx, name, program, db, c.Records, m.answers)
		if err != nil {
			return nil, err
		}
		one, err := m.run(ctx, contestant)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.Contestants = append(r.Contestants, one)
	}
	return r, nil
}

// match fills a database, picks the requests for it, and gets their answers from
// mintburn.
func (c *runCommand) match(ctx context.Context, program, db string, log io.Writer) (m *match, err error) {
	m = &match{runCommand: c, log: log, want: map[string][]want{}, answers: map[string]string{}}
	fmt.Fprintf(log, "filling %s\n", db)
	if m.filled, err = fill(ctx, program, db, c.Records); err != nil {
		return nil, err
	}
	if m.workloads, err = workload.Pick(ctx, db, c.Sets); err != nil {
		return nil, err
	}
	us, err := enter(ctx, ours, program, db, c.Records, nil)
	if err != nil {
		return nil, err
	}
	return m, m.prepare(us)
}
