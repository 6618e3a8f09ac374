package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"mintburn/bench/measure"
)

type abuseCommand struct {
	Program string        `help:"Built mintburn; it is built unless given." placeholder:"PATH"`
	DB      string        `help:"SQLite file to generate 20,000 records into, or to use if it is there; a temporary one unless given." placeholder:"PATH"`
	Only    string        `help:"Only the abuses whose name has this text." placeholder:"TEXT"`
	For     time.Duration `help:"How long each load lasts, ${default} unless given." default:"5s" placeholder:"DURATION"`
}

// abuseRecords is enough for pages of 1,000.
const abuseRecords = 20_000

// Run sends the requests that abuse a server and prints what they cost it and
// another client.
func (c *abuseCommand) Run(ctx context.Context) error {
	if c.Program == "" {
		return withProgram(ctx, func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout) })
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	return errors.Join(c.measure(ctx, c.Program, dir, os.Stdout), os.RemoveAll(dir))
}

// measure serves a database and prints a line for each abuse.
func (c *abuseCommand) measure(ctx context.Context, program, dir string, out io.Writer) (err error) {
	db := c.DB
	if db == "" {
		db = filepath.Join(dir, "abuse.db")
	}
	if _, err := fill(ctx, program, db, abuseRecords); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "abuse\tanswers\ttime\tCPU\tmemory above rest\tpeak memory\tothers p50\tothers p99\tothers failed")
	for _, a := range abuses {
		if !strings.Contains(a.name, c.Only) {
			continue
		}
		if err := c.abuse(ctx, program, db, a, table); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return table.Flush()
}

// abuse runs one abuse against a server of its own, so that none leaves memory
// for the next.
func (c *abuseCommand) abuse(ctx context.Context, program, db string, a abuse, out io.Writer) (err error) {
	server, err := measure.Start(exec.CommandContext(ctx, program, "serve", "--db", db, "--listen", "127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := warmUp(server); err != nil {
		return err
	}
	before, err := server.ResetPeak()
	if err != nil {
		return err
	}
	cpu, err := server.CPU()
	if err != nil {
		return err
	}
	began := time.Now()
	bystander := startBystander(ctx, server.Address)
	answers, err := c.attack(ctx, server.Address, a)
	others := bystander.stop()
	if err != nil {
		return err
	}
	took := time.Since(began)
	spent, err := server.CPU()
	if err != nil {
		return err
	}
	peak, err := server.Peak()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\t%s\t%.1f s\t%.2f s\t%d MiB\t%d MiB\t%s\t%s\t%d of %d\n", a.name, answers, took.Seconds(), (spent - cpu).Seconds(),
		(peak-before)>>20, peak>>20, others.at(.5), others.at(.99), others.failed, len(others.taken)+others.failed)
	return nil
}

// warmUp lets the database's pages become resident, which are no cost of what
// follows.
func warmUp(server *measure.Process) error {
	for _, body := range []string{quote(bystanderQuery), quote(pages(4))} {
		if _, err := server.Ask("/graphql", []byte(body)); err != nil {
			return err
		}
	}
	return nil
}
