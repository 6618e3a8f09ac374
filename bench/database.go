package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mintburn/bench/data"
)

// withProgram calls f with the path of mintburn, which it builds if program is empty, and
// with a temporary folder.
func withProgram(ctx context.Context, program string, f func(program, dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if program == "" {
		program = filepath.Join(dir, "mintburn")
		module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "mintburn").Output()
		if err != nil {
			return fmt.Errorf("looking for mintburn: %w", err)
		}
		// In its own module, the build uses the versions of that module.
		build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
		build.Dir = strings.TrimSpace(string(module))
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building mintburn: %w: %s", err, out)
		}
	}
	return f(program, dir)
}

type viewsCommand struct {
	DB string `arg:"" help:"File of the new database." placeholder:"PATH"`
}

// Run makes the database.
func (c *viewsCommand) Run(ctx context.Context) error {
	db, err := filepath.Abs(c.DB)
	if err != nil {
		return err
	}
	return withProgram(ctx, "", func(program, _ string) error {
		return importInto(ctx, program, db, func(w io.Writer) error {
			_, err := data.WriteViews(w)
			return err
		})
	})
}

type recordCommand struct {
	Records int `arg:"" help:"Mints and burns to generate." placeholder:"N"`
}

// Run writes an import file to standard output.
func (c *recordCommand) Run() error {
	_, err := data.WriteContracts(os.Stdout, c.Records)
	return err
}

// imported is the outcome of an import.
type imported struct {
	Records int           `json:"records"`
	Took    time.Duration `json:"took"`
	// Bytes is the size of the database.
	Bytes int64 `json:"bytes"`
}

// fill imports generated records into a new database. An existing database is used
// unchanged.
func fill(ctx context.Context, program, db string, records int) (i imported, err error) {
	i.Records = records
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		if i.Took, err = load(ctx, program, db, records); err != nil {
			return i, err
		}
	}
	info, err := os.Stat(db)
	if err != nil {
		return i, fmt.Errorf("looking for the database: %w", err)
	}
	i.Bytes = info.Size()
	return i, nil
}

// load imports generated records into a database, and returns the time taken.
func load(ctx context.Context, program, db string, records int) (time.Duration, error) {
	start := time.Now()
	err := importInto(ctx, program, db, func(w io.Writer) error {
		_, err := data.Write(w, records)
		return err
	})
	return time.Since(start), err
}

// importInto imports the output of write into a database. It declares that nothing precedes
// the first block; otherwise amounts would be unknown.
func importInto(ctx context.Context, program, db string, write func(io.Writer) error) error {
	command := exec.CommandContext(ctx, program, "import", "--from-deployment", "--db", db, "-")
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	in, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	if err := errors.Join(write(in), in.Close(), command.Wait()); err != nil {
		return fmt.Errorf("importing: %w: %s", err, said.Bytes())
	}
	return nil
}
