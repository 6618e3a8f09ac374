//go:build cgo && !nosqlite

package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// mappedBytes is how much of the file each of [minReaders] maps into memory, SQLite's
// maximum. Mapped pages are read from the operating system's page cache without a system
// call and a copy each. They count as memory of the process, but the system can reclaim
// them.
const mappedBytes = 1<<31 - 1

// readerCache is the cache of each of [minReaders] in KiB.
const readerCache = 4_000

// perReader returns the part of what each of [minReaders] has that one of n readers gets: all together
// have as much, however many there are.
func perReader(each, n int) int { return each * minReaders / max(n, minReaders) }

// lockWait is how long SQLite waits for another writer. A writer waits lockWaits times.
const lockWait = 10 * time.Second

// connectPause is the time between two attempts to open a SQLite file.
const connectPause = 10 * time.Millisecond

// writerValues returns the parameters of connections that may write the file or its log.
func writerValues() url.Values {
	return url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())},
		"_stmt_cache_size": {"64"},
		// database/sql lets one goroutine at a time use a connection.
		"_mutex": {"no"},
	}
}

// readerValues returns the parameters of reading connections. Each has a cache for the log
// and for unmapped pages. They open the file read-only: if another file replaced the database
// during opening, closing a writable connection would checkpoint the write-ahead log into that
// file and delete the log.
func readerValues(readers int) url.Values {
	return url.Values{
		"mode": {"ro"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())},
		"_cache_size": {fmt.Sprint(-perReader(readerCache, readers))}, "_stmt_cache_size": {"64"}, "_mutex": {"no"},
	}
}

// checkSQLite returns nil: this build has SQLite.
func checkSQLite() error { return nil }

// pool returns a pool of connections to the file, each of which maps this many bytes.
func (f *file) pool(size, mapped int, parameters ...url.Values) *sql.DB {
	all := url.Values{}
	for _, values := range parameters {
		for name, value := range values {
			all[name] = value
		}
	}
	return limited(sql.OpenDB(sqliteConnector{f, sqliteURI(f.path, all), mapped}), size)
}

// sqliteConnector opens connections of a pool.
type sqliteConnector struct {
	file   *file
	dsn    string
	mapped int
}

var _ driver.Connector = sqliteConnector{}

// Connect implements [driver.Connector]. It retries while the file is busy: if several
// connections switch a new file to WAL at once, SQLite refuses all but one without waiting.
// It fails if the files are not the ones that the other connections opened.
func (c sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	countNoMemory()
	for until := time.Now().Add(lockWait); ; {
		// Check first, because SQLite would create a missing log.
		if err := c.file.same(); err != nil {
			return nil, err
		}
		conn, err := c.Driver().Open(c.dsn)
		if changed := c.file.same(); changed != nil {
			if err == nil {
				changed = errors.Join(changed, conn.Close())
			}
			return nil, changed
		}
		if err == nil {
			return conn, nil
		}
		if !isBusy(err) || time.Now().After(until) {
			return nil, err
		}
		select {
		case <-time.After(connectPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Driver implements [driver.Connector].
func (c sqliteConnector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		// A file may come from anywhere: its schema must not call functions with side effects.
		settings := "PRAGMA trusted_schema = OFF"
		if c.mapped > 0 {
			settings += fmt.Sprintf("; PRAGMA mmap_size = %d", c.mapped)
		}
		_, err := conn.Exec(settings, nil)
		return err
	}}
}

// isSQLite reports whether an error is a SQLite error with one of these codes.
func isSQLite(err error, codes ...sqlite3.ErrNo) bool {
	var known sqlite3.Error
	return errors.As(err, &known) && slices.Contains(codes, known.Code)
}

func isRefusedBySQLite(err error) bool {
	return isSQLite(err, sqlite3.ErrConstraint, sqlite3.ErrTooBig, sqlite3.ErrMismatch)
}

// named turns an error of a file that can't be written into a [FileError], which contains
// its path. It returns other errors as they are.
func (f *file) named(err error) error {
	switch {
	case f == nil:
		return err
	case isSQLite(err, sqlite3.ErrFull):
		return &FileError{f.path + ": no space left on its disk or on the disk of temporary files", err}
	case isSQLite(err, sqlite3.ErrReadonly, sqlite3.ErrIoErr):
		return &FileError{fmt.Sprintf("%s can't be written: %v", f.path, err), err}
	}
	return err
}

// isBusy reports whether an error means that another connection is writing to the SQLite file.
func isBusy(err error) bool { return isSQLite(err, sqlite3.ErrBusy) }

// sqliteURI returns the URI of the file at path with these parameters.
func sqliteURI(path string, values url.Values) string {
	// A path may contain characters that are special in a URI.
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + escaped + "?" + values.Encode()
}
