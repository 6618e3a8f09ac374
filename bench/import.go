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
	"mintburn/internal/testing/pgtest"
)

type importCommand struct {
	Records  int    `help:"Mints and burns to generate, ${default} unless given." default:"5000000" placeholder:"N"`
	Postgres bool   `help:"Import into a new PostgreSQL server, and compare with a bare COPY of the same rows."`
	File     string `help:"Import file to generate, or to use if it exists, 600 bytes a record; temporary unless given." placeholder:"PATH"`
}

// Validate checks constraints that the flag types cannot express.
func (c *importCommand) Validate() error {
	if c.Records < 1 {
		return fmt.Errorf("--records: got %d, want at least 1", c.Records)
	}
	return nil
}

// Run measures an import into a new database, and how much it slows down as the database
// grows. The time does not include generating the file.
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

// generate writes an import file unless it exists. It removes an incomplete file.
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

// rateOver is the least number of records for a rate.
const rateOver = 1_000_000

// watchImport imports a file and prints the rate over about every million records, from
// the log of the import. It returns the total time.
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
