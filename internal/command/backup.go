package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mintburn/internal/database"
)

type backupCommand struct {
	name
	File string `arg:"" help:"New file to copy the database to." placeholder:"FILE"`
}

// Help implements kong.HelpProvider.
func (*backupCommand) Help() string {
	return "Copies one committed state of a SQLite database while other processes read and write it. The copy is a database that works with every command."
}

// Run writes the copy.
func (c *backupCommand) Run(ctx context.Context, e *env) error {
	return copyDatabase(ctx, e, c.DB, c.File)
}

type restoreCommand struct {
	name
	File string `arg:"" help:"Copy written by mintburn backup." placeholder:"FILE"`
}

// Help implements kong.HelpProvider.
func (*restoreCommand) Help() string {
	return "Replaces no files: first move the damaged database away, together with its files that end in -wal and -shm."
}

// Run writes the new database.
func (c *restoreCommand) Run(ctx context.Context, e *env) error {
	return copyDatabase(ctx, e, c.File, c.DB)
}

// copyDatabase copies a database to a new file. It fails if the file exists.
func copyDatabase(ctx context.Context, e *env, from, to string) error {
	err := database.Backup(ctx, from, to)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: want the name of a new file", err)
	}
	if err != nil {
		return unfinished(ctx, err, "nothing was written; run the same command again")
	}
	fmt.Fprintf(e.stdout, "Wrote %s.\n", to)
	return nil
}
