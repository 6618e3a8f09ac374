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
	"time"

	"mintburn/bench/data"
)

// build builds the program into a folder and returns its path.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "mintburn")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "mintburn").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building mintburn: %w: %s", err, out)
	}
	return program, nil
}

// withProgram builds the program and calls f with its path and a folder, which
// is removed afterwards.
func withProgram(ctx context.Context, f func(program, dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	return f(program, dir)
}

// imported is the outcome of an import.
type imported struct {
	Records int           `json:"records"`
	Took    time.Duration `json:"took"`
	// Bytes is the size of the database.
	Bytes int64 `json:"bytes"`
}

// fill imports generated records into a new database. One that exists is used as it
// is.
func fill(ctx context.Context, program, db string, records int) (i imported, err error) {
	if info, err := os.Stat(db); err == nil {
		return imported{Records: records, Bytes: info.Size()}, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return i, fmt.Errorf("looking for the database: %w", err)
	}
	took, err := load(ctx, program, db, records)
	if err != nil {
		return i, err
	}
	info, err := os.Stat(db)
	if err != nil {
		return i, fmt.Errorf("looking for the database: %w", err)
	}
	return imported{Records: records, Took: took, Bytes: info.Size()}, nil
}

// load imports generated records into a database, and returns how long it took.
func load(ctx context.Context, program, db string, records int) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	generated, file := io.Pipe()
	var said bytes.Buffer
	command := exec.CommandContext(ctx, program, "import", "--db", db, "-")
	command.Stdin, command.Stdout, command.Stderr = generated, &said, &said
	start := time.Now()
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("importing: %w", err)
	}
	_, generateErr := data.Write(file, records)
	_ = file.CloseWithError(generateErr)
	if err := errors.Join(generateErr, command.Wait()); err != nil {
		return 0, fmt.Errorf("importing: %w: %s", err, said.Bytes())
	}
	return time.Since(start), nil
}
