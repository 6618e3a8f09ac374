//go:build !nosqlite

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

// mappedBytes is how much of the file a connection that reads or loads maps into
// memory: as much as SQLite ever does. It then reads pages in the page cache of
// the operating system, without a call and a copy for each. They count as memory
// of the process, but the system can reclaim them.
const mappedBytes = 1<<31 - 1

// lockWait is how long SQLite waits for another writer, [lockWaits] times.
const lockWait = 10 * time.Second

// connectPause is the time between two tries to connect to a file of SQLite.
const connectPause = 10 * time.Millisecond

// writerValues are the parameters of every connection that may write the file or its log.
func writerValues() url.Values {
	return url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"NORMAL"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())},
		"_stmt_cache_size": {"64"},
		// database/sql lets one goroutine at a time use a connection.
		"_mutex": {"no"},
	}
}

// readerValues are the parameters of readers. Each has a cache for the log, and for pages
// that are not mapped. They open the file as one that may not be written: of a file that took
// the database's place while it was opened, closing would otherwise make a database out of the
// write-ahead log, and delete the log.
func readerValues() url.Values {
	return url.Values{
		"mode": {"ro"}, "_busy_timeout": {fmt.Sprint(lockWait.Milliseconds())},
		"_cache_size": {"-4000"}, "_stmt_cache_size": {"64"}, "_mutex": {"no"},
	}
}

// checkSQLite returns why SQLite can't be opened, or nil.
func checkSQLite() error { return nil }

// pool returns a pool of connections to the file that map so many bytes of it.
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

// Connect implements [driver.Connector]. Of several connections that turn a new file
// to WAL at once, SQLite refuses all but one without waiting. It fails if the files are not
// those of the other connections.
func (c sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	for until := time.Now().Add(lockWait); ; {
		// SQLite would make the log that is not there.
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
			return &sqliteConn{sqliteDriverConn: conn.(*sqlite3.SQLiteConn), kept: map[string]driver.Stmt{}}, nil
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
		if c.mapped == 0 {
			return nil
		}
		_, err := conn.Exec(fmt.Sprintf("PRAGMA mmap_size = %d", c.mapped), nil)
		return err
	}}
}

// isSQLite reports whether an error is one of SQLite with one of these codes.
func isSQLite(err error, codes ...sqlite3.ErrNo) bool {
	var known sqlite3.Error
	return errors.As(err, &known) && slices.Contains(codes, known.Code)
}

// named adds the file to an error that says that it can't be written for now.
func (f *file) named(err error) error {
	switch {
	case f == nil:
		return err
	case isSQLite(err, sqlite3.ErrFull):
		return &FileError{f.path + ": no space left on its disk, or on that of temporary files", err}
	case isSQLite(err, sqlite3.ErrReadonly, sqlite3.ErrIoErr):
		return &FileError{fmt.Sprintf("%s can't be written: %v", f.path, err), err}
	}
	return err
}

// isBusy reports whether another process writes to a file of SQLite.
func isBusy(err error) bool { return isSQLite(err, sqlite3.ErrBusy) }

// sqliteURI names the file at path, opened with these parameters.
func sqliteURI(path string, values url.Values) string {
	// A path may hold characters that mean something in a URI.
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + escaped + "?" + values.Encode()
}
