package database

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect string
	// writer is a pool of writing connections; for SQLite it has one.
	writer *sql.DB
	// reader reads SQLite and is nil for PostgreSQL; pool reads PostgreSQL and is nil for
	// SQLite.
	reader *sql.DB
	pool   *pgxpool.Pool
	// pooled is set behind a pooler, which lends a PostgreSQL connection per transaction.
	pooled bool
	// file is the SQLite database, nil for PostgreSQL.
	file *file
	// created is set if [Open] created the file.
	created bool
	// calls are those of no snapshot, each a *call.
	calls sync.Pool
	// writing serialises the writing transactions of this process.
	writing sync.Mutex
}

// Close closes the database.
func (db *DB) Close() error {
	var errs []error
	for _, pool := range []*sql.DB{db.reader, db.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.pool != nil {
		db.pool.Close()
	}
	return errors.Join(errs...)
}

// CheckFile returns a [*FileError] if a file of a SQLite database was deleted or replaced
// since [Open], or if another process writes a file that [Open] opened as immutable.
func (db *DB) CheckFile() error {
	if db.file == nil {
		return nil
	}
	return db.file.check()
}

// File returns the path of a SQLite database, "" for PostgreSQL.
func (db *DB) File() string {
	if db.file == nil {
		return ""
	}
	return db.file.path
}

// Size returns the size of the database in bytes: that of the SQLite file, or what PostgreSQL's
// pg_database_size counts. log is the size of SQLite's write-ahead log, 0 on PostgreSQL.
func (db *DB) Size(ctx context.Context) (size, log int64, err error) {
	if db.file == nil {
		err = db.Query(ctx, "SELECT pg_database_size(current_database())", nil, func(r *Row) error { return r.Values(&size) })
		return size, 0, Wrap(err, "reading the size of the database")
	}
	info, err := os.Stat(db.file.path)
	if err != nil {
		return 0, 0, Wrap(err, "reading the size of the database")
	}
	if wal, err := os.Stat(db.file.path + "-wal"); err == nil {
		log = wal.Size()
	}
	return info.Size(), log, nil
}

// PoolStats describes the pool of reading connections.
type PoolStats struct {
	// Open is the number of connections, Idle the number of unused ones, and Max the
	// upper bound of Open.
	Open, Idle, Max int
	// Waits counts the reads that had to wait for a connection. Waited is their total
	// waiting time. On PostgreSQL both include opening a connection.
	Waits  int64
	Waited time.Duration
}

// PoolStats returns the current state of the pool of reading connections.
func (db *DB) PoolStats() PoolStats {
	if db.pool != nil {
		now := db.pool.Stat()
		return PoolStats{int(now.TotalConns()), int(now.IdleConns()), int(now.MaxConns()), now.EmptyAcquireCount(), now.EmptyAcquireWaitTime()}
	}
	now := db.reader.Stats()
	return PoolStats{now.OpenConnections, now.Idle, now.MaxOpenConnections, now.WaitCount, now.WaitDuration}
}

// Dialect returns ent's name for the database: [dialect.SQLite] or
// [dialect.Postgres].
func (db *DB) Dialect() string { return db.dialect }

// Builder returns ent's statement builder for the database.
func (db *DB) Builder() *entsql.DialectBuilder { return entsql.Dialect(db.dialect) }

// Driver returns an ent driver that uses no transaction.
func (db *DB) Driver() dialect.Driver { return entsql.OpenDB(db.dialect, db.writer) }

// Query runs one statement on a reading connection, without a snapshot, and
// calls read with each row.
func (db *DB) Query(ctx context.Context, text string, args []any, read func(*Row) error) error {
	if db.pool != nil {
		return runOne(ctx, db.pool, db.opts.Trace, Statement{Text: text, Args: args, Read: read})
	}
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(db.query(ctx, conn, new(call), Statement{Text: text, Args: args, Read: read}), conn.Close())
}

// query runs a statement on a connection to SQLite.
func (db *DB) query(ctx context.Context, conn *sql.Conn, memory *call, one Statement) (err error) {
	if db.opts.Trace != nil {
		if end := db.opts.Trace(ctx); end != nil {
			defer func() { end([]string{one.Text}, err) }()
		}
	}
	return memory.query(ctx, conn, one)
}

// Exec runs a statement on a writing connection, outside any transaction.
func (db *DB) Exec(ctx context.Context, text string) error {
	_, err := db.writer.ExecContext(ctx, text)
	return err
}

// sent passes a statement to [Options.OnStatement].
func (db *DB) sent(text string, args []any) {
	if db.opts.OnStatement != nil {
		db.opts.OnStatement(text, args)
	}
}

// writerConns is the size of the pool that writes to PostgreSQL.
const writerConns = 2

// limited sets the size of a pool and returns it.
func limited(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}
