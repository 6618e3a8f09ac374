package command

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"mintburn/internal/command/console"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/check"
	"mintburn/internal/store/write"
)

type checkCommand struct {
	opening.Opening
	repair
}

// repair holds the flag of commands that find differences.
type repair struct {
	Repair bool `help:"Repair the differences."`
}

// Validate checks constraints that the flag types cannot express.
func (c *checkCommand) Validate() error { return c.Check() }

// Run compares counters, counts and coverage with the stored records. It fails if a
// difference remains.
func (c *checkCommand) Run(ctx context.Context, e *process.Env) (err error) {
	s, err := c.Read(ctx, e, write.Options{})
	if foreign := new(database.ForeignError); errors.As(err, &foreign) {
		for _, object := range foreign.Objects {
			fmt.Fprintf(e.Stdout, "SQLite: the file has %s, which this program does not make; drop a trigger or a view, restore a backup of a table\n", evm.Printable(object))
		}
		return fmt.Errorf("%s; nothing else was compared, and no other command uses the file", console.Count(len(foreign.Objects), "difference"))
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := checkStore(ctx, e, s, c.Repair)
	switch {
	case err != nil:
		return process.Unfinished(ctx, err, fmt.Sprintf("%s so far; repairs are stored; run the same command again", console.Count(found.Differences, "difference")))
	case found.Left > 0 && c.Repair:
		return fmt.Errorf("repaired %d of %s; the report names the commands that repair the others", found.Differences-found.Left, console.Count(found.Differences, "difference"))
	case found.Left > 0:
		return fmt.Errorf("%s; check --repair repairs those that the records determine", console.Count(found.Left, "difference"))
	case found.Differences > 0:
		fmt.Fprintf(e.Stdout, "Repaired %s.\n", console.Count(found.Differences, "difference"))
		return nil
	}
	fmt.Fprintln(e.Stdout, "No differences: counters, counts and coverage match the records.")
	return nil
}

// checkStore checks a database and prints each difference.
func checkStore(ctx context.Context, e *process.Env, s *write.DB, repair bool) (check.Result, error) {
	var rows atomic.Int64
	progress := console.NewProgress(e.Console, "rows", func() (done, size int64) { return rows.Load(), 0 })
	defer progress.Stop()
	return check.Run(ctx, s, check.Options{
		Repair:   repair,
		Lead:     opening.Leading(ctx, e, s),
		Report:   func(line string) { fmt.Fprintln(e.Stdout, line) },
		Note:     func(line string) { e.Log.Info(line) },
		Progress: func(n int64) { rows.Add(n) },
	})
}
