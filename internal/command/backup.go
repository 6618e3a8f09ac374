package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mintburn/internal/store"
)

type backupCommand struct {
	name
	File string `arg:"" help:"New file for the copy." placeholder:"FILE"`
}

// Help implements kong's details of a command.
func (*backupCommand) Help() string {
	return "It copies one committed state of a SQLite database, which others may read and write meanwhile. The copy is a database: every command works with it."
}

// Run writes the copy.
func (c *backupCommand) Run(ctx context.Context, e *env) error {
	return copyDatabase(ctx, e, c.DB, c.File)
}

type restoreCommand struct {
	name
	File string `arg:"" help:"Copy that mintburn backup wrote." placeholder:"FILE"`
}

// Help implements kong's details of a command.
func (*restoreCommand) Help() string {
	return "It replaces nothing: move the damaged database away first, with the files beside it whose names end in -wal and -shm."
}

// Run writes the new database.
func (c *restoreCommand) Run(ctx context.Context, e *env) error {
	return copyDatabase(ctx, e, c.File, c.DB)
}

// copyDatabase writes a database to a new file.
func copyDatabase(ctx context.Context, e *env, from, to string) error {
	err := store.Backup(ctx, from, to)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: want the name of a new file", err)
	}
	if err != nil {
		return unfinished(ctx, err, "nothing is written; run the same command again")
	}
	fmt.Fprintf(e.stdout, "Wrote %s.\n", to)
	return nil
}
