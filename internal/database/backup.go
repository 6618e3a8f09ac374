//go:build cgo && !nosqlite

package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"mintburn/internal/newfile"
)

// Backup writes one committed state of a SQLite database to a new file. Both names have
// the form that [Open] accepts. The database stays readable and writable meanwhile. The new
// file gets its name only once it is complete and synced to disk; a killed process leaves
// files named *.partial and *.partial-journal, which the next call removes. Backup returns
// [ErrNoDatabase] if dsn names no database of this program, and an error that wraps
// [fs.ErrExist] if the new file or one of its SQLite side files (-wal, -shm, -journal) exists. The new
// file has the mode of the source, at most. If the statement unfinished returns true for the source,
// Backup returns a [*SchemaError].
func Backup(ctx context.Context, dsn, copied, unfinished string) error {
	return backup(ctx, dsn, copied, unfinished, "", func(context.Context, *sql.DB) error { return nil })
}

// Restore is [Backup] of a copy from anywhere. It returns a [*ForeignError] if the schema of the copy is
// not that of the migrations. It executes the statements edit, "" for none, in the new file before that gets its name.
func Restore(ctx context.Context, copied, dsn, unfinished, edit string, migrations []Migration) error {
	return backup(ctx, copied, dsn, unfinished, edit, func(ctx context.Context, pool *sql.DB) error { return checkForeign(ctx, pool, migrations) })
}

// backup is Backup that checks the source first and edits the new file.
func backup(ctx context.Context, dsn, copied, unfinished, edit string, check func(context.Context, *sql.DB) error) (err error) {
	path, from := sqlitePath(dsn)
	copied, to := sqlitePath(copied)
	if !from || !to {
		return errors.New("want SQLite file paths: PostgreSQL has its own backup tools")
	}
	values, err := requireSQLite(ctx, path, false)
	if err != nil {
		return err
	}
	if values == nil {
		values = url.Values{"mode": {"rw"}}
	}
	// SQLite would replay a leftover log of this name into the copy.
	for _, name := range []string{copied, copied + "-wal", copied + "-shm", copied + "-journal"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", name, fs.ErrExist), err)
		}
	}
	partial, err := newfile.Create(copied, ".partial")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(partial.Name()), partial.Close()) }()
	if err := limitMode(partial, path); err != nil {
		return err
	}
	values.Set("_busy_timeout", fmt.Sprint(lockWait.Milliseconds()))
	pool := (&file{path: path}).pool(1, 0, values)
	var rest bool
	if err = check(ctx, pool); err == nil {
		err = pool.QueryRowContext(ctx, unfinished).Scan(&rest)
	}
	if rest {
		err = &SchemaError{Copying: true}
	}
	if err != nil {
		return errors.Join(Wrap(err, "%s", path), pool.Close())
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", partial.Name())
	err = (&file{path: copied}).named(err)
	if err = errors.Join(err, pool.Close()); err == nil && edit != "" {
		pool = (&file{path: partial.Name()}).pool(1, 0, url.Values{"mode": {"rw"}})
		_, err = pool.ExecContext(ctx, edit)
		err = errors.Join((&file{path: copied}).named(err), pool.Close())
	}
	if err != nil {
		return err
	}
	if err := partial.Sync(); err != nil {
		return err
	}
	// Unlike os.Rename, os.Link never replaces a file.
	if err := os.Link(partial.Name(), copied); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(copied))
}

// limitMode removes the rights from a new file that a source lacks.
func limitMode(created *os.File, source string) error {
	of, err := os.Stat(source)
	if err != nil {
		return err
	}
	own, err := created.Stat()
	if err != nil {
		return err
	}
	return created.Chmod(own.Mode() & of.Mode().Perm())
}

// syncFolder syncs a folder, so that the names of new files survive a crash.
func syncFolder(path string) (err error) {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	return folder.Sync()
}
