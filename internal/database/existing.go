//go:build cgo && !nosqlite

package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"github.com/mattn/go-sqlite3"
)

// errOther is the error for a SQLite file with tables of another program.
var errOther = errors.New("got a SQLite file of another program, want a new file or a database of this one")

// IsOther reports whether an error of [Open] means that a file is not a SQLite database of this program.
func IsOther(err error) bool { return errors.Is(err, errOther) || isSQLite(err, sqlite3.ErrNotADB) }

// requireSQLite returns [ErrNoDatabase] if there is no file at path or if it is empty, and
// another error if it is not a database of this program. It never changes the file of another
// program. It returns nil parameters for a writable database, and the connection parameters to
// read a read-only one. With unchanged, it changes no file and returns the parameters of
// [Options.ReadOnly].
func requireSQLite(ctx context.Context, path string, unchanged bool) (readOnly url.Values, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w at %s", ErrNoDatabase, path)
	case err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
		// SQLite would wait for the writer of a named pipe.
		return nil, fmt.Errorf("opening database %s: got no regular file, want one", path)
	}
	if unchanged {
		return unchangedSQLite(ctx, path)
	}
	// The last writing connection would checkpoint another program's write-ahead log.
	if err := probeSQLite(ctx, path, url.Values{"mode": {"ro"}}, ""); errors.Is(err, errOther) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// BEGIN IMMEDIATE alone succeeds on a read-only file.
	err = probeSQLite(ctx, path, url.Values{"mode": {"rw"}}, "BEGIN IMMEDIATE; DELETE FROM "+versionTable+" WHERE 0; ROLLBACK")
	if isSQLite(err, sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm) {
		readOnly = url.Values{"mode": {"ro"}}
		err = probeSQLite(ctx, path, readOnly, "")
	}
	if isSQLite(err, sqlite3.ErrReadonly, sqlite3.ErrCantOpen) {
		// SQLite cannot read the write-ahead log without writing the -shm file, and
		// ignores the log of an immutable file.
		if hasLog(path) {
			return nil, fmt.Errorf("opening database %s: its write-ahead log can't be read in a read-only folder: "+
				"want a writable folder, or a copy made with mintburn backup", path)
		}
		readOnly.Set("immutable", "1")
		err = probeSQLite(ctx, path, readOnly, "")
	}
	return readOnly, openingSQLite(path, err)
}

// hasLog reports whether the write-ahead log of a file has contents.
func hasLog(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err == nil && log.Size() > 0
}

// unchangedSQLite returns the parameters of connections that read a file and change nothing.
func unchangedSQLite(ctx context.Context, path string) (url.Values, error) {
	values := url.Values{"mode": {"ro"}}
	if _, err := os.Stat(path + "-shm"); err == nil {
		// A process has the database open, or was killed.
		values.Set("readonly_shm", "1")
	} else if hasLog(path) {
		return nil, fmt.Errorf("opening database %s: its write-ahead log has no index: want any other command of this program to recover it", path)
	} else {
		values.Set("immutable", "1")
	}
	return values, openingSQLite(path, probeSQLite(ctx, path, values, ""))
}

// openingSQLite completes an error of probeSQLite.
func openingSQLite(path string, err error) error {
	switch {
	case errors.Is(err, ErrNoDatabase):
		return fmt.Errorf("%w at %s: the file has no Mintburn tables", ErrNoDatabase, path)
	case errors.Is(err, errOther):
		return fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return fmt.Errorf("opening database %s: %w", path, err)
	}
	return nil
}

// probeSQLite opens a file with these parameters, checks that it has the migrations
// table, and runs a statement on the same connection. It returns [ErrNoDatabase] if the
// file has no table, and errOther if it has others.
func probeSQLite(ctx context.Context, path string, values url.Values, statement string) (err error) {
	values.Set("_busy_timeout", fmt.Sprint(lockWait.Milliseconds()))
	pool := (&file{path: path}).pool(1, 0, values)
	defer func() { err = errors.Join(err, pool.Close()) }()
	var tables, ours int
	err = pool.QueryRowContext(ctx, "SELECT count(*), (SELECT count(*) FROM sqlite_schema AS s, pragma_table_info('"+versionTable+"') AS c WHERE s.type = 'table' AND s.name = '"+versionTable+"' AND c.name = 'version_id') FROM sqlite_schema").Scan(&tables, &ours)
	switch {
	case err == nil && tables == 0:
		return ErrNoDatabase
	case err == nil && ours == 0:
		return errOther
	}
	if err != nil {
		return err
	}
	if _, err = pool.ExecContext(ctx, "PRAGMA busy_timeout = 0; "+statement); isBusy(err) {
		// Another process is writing, so the file is writable.
		return nil
	}
	return err
}

// Abandon closes the database, and removes the file of SQLite if [Open] created it and it is
// not in use: it has no table, or the statement unused returns true. No other process writes
// meanwhile.
func (db *DB) Abandon(unused string) error {
	err := db.Close()
	if db.created {
		err = errors.Join(err, db.file.removeUnused(unused))
	}
	return err
}

// removeUnused removes the file if it is not in use, see [DB.Abandon].
func (f *file) removeUnused(unused string) (err error) {
	// Another file, because closing the database has removed its write-ahead log.
	pool := (&file{path: f.path}).pool(1, 0, url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())}})
	defer func() { err = errors.Join(err, pool.Close()) }()
	// Until its end, no other process writes.
	tx, err := pool.Begin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	var empty bool
	if err := tx.QueryRow("SELECT count(*) = 0 FROM sqlite_schema").Scan(&empty); err != nil {
		return err
	}
	if !empty && unused != "" {
		if err := tx.QueryRow(unused).Scan(&empty); err != nil {
			return err
		}
	}
	if !empty {
		return nil
	}
	for _, end := range []string{"-wal", "-shm", ""} {
		if removed := os.Remove(f.path + end); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}
