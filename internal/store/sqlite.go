package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// mappedBytes is how much of the file a connection that reads or loads maps into
// memory: as much as SQLite ever does. Pages are then read where the operating system
// has them, without a call and a copy for each. They count as memory of the
// process, but are the system's to take back.
const mappedBytes = 1<<31 - 1

// A writer of SQLite waits for another one for lockWait, so many times: that is
// longer than any transaction, of which those that build an index are longest.
const (
	lockWait  = 10 * time.Second
	lockWaits = 60
)

// sqliteReader opens reading connections.
type sqliteReader struct {
	dsn    string
	driver *sqlite3.SQLiteDriver
}

var _ driver.Connector = sqliteReader{}

func newSQLiteReader(dsn string) sqliteReader {
	mapped := func(conn *sqlite3.SQLiteConn) error {
		_, err := conn.Exec(fmt.Sprintf("PRAGMA mmap_size = %d", mappedBytes), nil)
		return err
	}
	return sqliteReader{dsn, &sqlite3.SQLiteDriver{ConnectHook: mapped}}
}

// Connect implements [driver.Connector].
func (r sqliteReader) Connect(context.Context) (driver.Conn, error) { return r.driver.Open(r.dsn) }

// Driver implements [driver.Connector].
func (r sqliteReader) Driver() driver.Driver { return r.driver }

// limited bounds a pool.
func limited(db *sql.DB, size int) *sql.DB {
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}
