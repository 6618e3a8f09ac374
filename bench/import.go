package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"mintburn/bench/data"
	"mintburn/internal/pgtest"
)

type importCommand struct {
	Records  int    `help:"Mints and burns to generate, ${default} unless given." default:"5000000" placeholder:"N"`
	Postgres bool   `help:"Import into a PostgreSQL that is started for it, beside a bare COPY of the same rows."`
	File     string `help:"Import file to generate into, or to use if it is there, 600 bytes a record; a temporary one unless given." placeholder:"PATH"`
}

// Validate checks what the flags' types do not.
func (c *importCommand) Validate() error {
	if c.Records < 1 {
		return fmt.Errorf("--records: got %d, want at least 1", c.Records)
	}
	return nil
}

// Run measures an import into a new database, without generating the file, and how
// much it slows down as the database grows.
func (c *importCommand) Run(ctx context.Context) error {
	return withProgram(ctx, "", func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout) })
}

// measure generates and imports; dir is for files.
func (c *importCommand) measure(ctx context.Context, program, dir string, out io.Writer) error {
	file := cmp.Or(c.File, filepath.Join(dir, "import.ndjson"))
	if err := generate(file, c.Records); err != nil {
		return err
	}
	if c.Postgres {
		dsn, _, stop, err := pgtest.Start(ctx)
		if err != nil {
			return err
		}
		defer stop()
		return importBesideCopy(ctx, program, dsn, file, out)
	}
	_, err := watchImport(ctx, program, filepath.Join(dir, "bench.db"), file, out)
	return err
}

// generate writes an import file, unless it exists. It removes an incomplete one.
func generate(path string, records int) (err error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = data.Write(file, records)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// rateOver is the least number of records that a rate is taken over.
const rateOver = 1_000_000

// watchImport imports a file and prints the rate over every million records or so,
// from the log of the import, and returns the time in all.
func watchImport(ctx context.Context, program, db, file string, out io.Writer) (took time.Duration, err error) {
	command := exec.CommandContext(ctx, program, "import", "--db", db, file)
	command.Stdout = out
	logged, err := command.StderrPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("importing: %w", err)
	}
	stored := regexp.MustCompile(`\brecords=(\d+)`)
	var last int
	before := start
	lines := bufio.NewScanner(logged)
	for lines.Scan() {
		found := stored.FindSubmatch(lines.Bytes())
		if found == nil {
			fmt.Fprintln(out, lines.Text())
			continue
		}
		records, err := strconv.Atoi(string(found[1]))
		if err != nil {
			return 0, fmt.Errorf("reading a line of progress: %w", err)
		}
		if records-last < rateOver {
			continue
		}
		now := time.Now()
		fmt.Fprintf(out, "%d records: %.0f records/s\n", records, float64(records-last)/now.Sub(before).Seconds())
		last, before = records, now
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil {
		return 0, fmt.Errorf("importing: %w", err)
	}
	took = time.Since(start)
	fmt.Fprintf(out, "In all %s.\n", took.Round(100*time.Millisecond))
	return took, nil
}
