//go:build !nosqlite

package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// Backup writes one committed state of a SQLite database to a new file, both given as
// [Open] takes them. The file has its name only once it is whole and on the disk. Others may read and write the database
// meanwhile. It returns [ErrNoDatabase] if dsn names none of this program, and an error
// that wraps [fs.ErrExist] if the file or one of SQLite beside it exists. If the process is
// killed, a file named *.partial is left.
func Backup(ctx context.Context, dsn, copied string) (err error) {
	path, from := sqlitePath(dsn)
	copied, to := sqlitePath(copied)
	if !from || !to {
		return errors.New("want files of SQLite: PostgreSQL has programs of its own")
	}
	values, err := requireSQLite(ctx, path)
	if err != nil {
		return err
	}
	if values == nil {
		values = url.Values{"mode": {"rw"}}
	}
	// A log that a database of this name has left would become part of the copy.
	for _, name := range []string{copied, copied + "-wal", copied + "-shm", copied + "-journal"} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s: %w", name, fs.ErrExist), err)
		}
	}
	partial, err := os.CreateTemp(filepath.Dir(copied), filepath.Base(copied)+".*.partial")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, partial.Close(), os.Remove(partial.Name())) }()
	values.Set("_busy_timeout", fmt.Sprint(lockWait.Milliseconds()))
	pool := (&file{path: path}).pool(1, mappedBytes, values)
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", partial.Name())
	err = (&file{path: copied}).named(err)
	if err = errors.Join(err, pool.Close()); err != nil {
		return err
	}
	if err := partial.Sync(); err != nil {
		return err
	}
	// Unlike a renaming, it replaces no file.
	if err := os.Link(partial.Name(), copied); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(copied))
}

// syncFolder makes sure that the names of new files are on the disk.
func syncFolder(path string) (err error) {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	return folder.Sync()
}
