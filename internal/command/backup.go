package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/write"
)

type backupCommand struct {
	opening.Name
	File string `arg:"" help:"New file to copy the database to." placeholder:"FILE"`
}

// Help implements kong.HelpProvider.
func (*backupCommand) Help() string {
	return "Copies one committed state of a SQLite database while other processes read and write it. The copy is a database that works with every command."
}

// Run writes the copy, and prints its digests.
func (c *backupCommand) Run(ctx context.Context, e *process.Env) (err error) {
	if err := wrote(ctx, e, c.File, write.Backup(ctx, c.DB, c.File)); err != nil {
		return err
	}
	copied, err := write.Open(ctx, c.File, write.Options{NoMigrate: true, Options: database.Options{Existing: true, ReadOnly: true, Readers: 1}})
	if pending := new(write.PendingError); errors.As(err, &pending) {
		// An earlier schema has no digests.
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	snapshot := copied.Snapshot()
	defer snapshot.End(&err)
	digests, err := digest.Of(snapshot.Tx, snapshot.Client()).Indexed(ctx)
	for i := 0; i < len(digests) && err == nil; i++ {
		_, err = fmt.Fprintln(e.Stdout, digests[i])
	}
	return process.Unfinished(ctx, err, "the copy is complete")
}

type restoreCommand struct {
	opening.Name
	File       string `arg:"" help:"Copy written by mintburn backup." placeholder:"FILE"`
	Unverified bool   `help:"For the copy of somebody else: no block counts as verified or final until your node proves it."`
}

// Help implements kong.HelpProvider.
func (*restoreCommand) Help() string {
	return "Replaces no files: first move the damaged database away, together with its files that end in -wal and -shm."
}

// Run writes the new database.
func (c *restoreCommand) Run(ctx context.Context, e *process.Env) error {
	return wrote(ctx, e, c.DB, write.Restore(ctx, c.File, c.DB, c.Unverified))
}

// wrote prints the name of a new database, unless err is set, and completes err.
func wrote(ctx context.Context, e *process.Env, to string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: want the name of a new file", err)
	}
	if foreign := new(database.ForeignError); errors.As(err, &foreign) {
		return err
	}
	if err != nil {
		return process.Unfinished(ctx, err, "nothing was written; run the same command again")
	}
	fmt.Fprintf(e.Stdout, "Wrote %s.\n", to)
	return nil
}
