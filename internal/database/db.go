package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// Options tune a [DB].
type Options struct {
	// Loading makes large imports faster: SQLite folds the write-ahead log into
	// the file less often and caches more of it. It changes nothing about what
	// survives a crash.
	Loading bool
	// Existing makes [Open] fail with [ErrNoDatabase] rather than create a
	// database. A SQLite file that may not be written is opened for reading.
	Existing bool
	// Readers is the size of the pool of reading connections.
	Readers int
	// OnStatement, if not nil, is called with each statement of a snapshot, and
	// with the reads and the single writes of a writing transaction.
	OnStatement func(query string, args []any)
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	opts    Options
	dialect string
	// reader and writer are pools on the same database; the writer's has one
	// connection for SQLite.
	reader, writer *sql.DB
	// file is that of a SQLite database, nil for PostgreSQL.
	file *file
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
	return errors.Join(errs...)
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	if _, err := db.reader.ExecContext(ctx, "SELECT 1"); err != nil {
		return fmt.Errorf("asking the database: %w", err)
	}
	return nil
}

// CheckFile returns a [*FileError] if the file of a SQLite database was deleted
// or replaced since [Open], or if another process writes a file that this one
// opened as immutable.
func (db *DB) CheckFile() error {
	if db.file == nil {
		return nil
	}
	return db.file.check()
}

// Dialect returns ent's name of the database: [dialect.SQLite] or
// [dialect.Postgres].
func (db *DB) Dialect() string { return db.dialect }

// Builder returns ent's builder of statements for the database.
func (db *DB) Builder() *entsql.DialectBuilder { return entsql.Dialect(db.dialect) }

// Driver returns ent's driver on the reading connections, without a snapshot.
func (db *DB) Driver() dialect.Driver { return entsql.OpenDB(db.dialect, db.reader) }

// Query runs one statement on a reading connection, without a snapshot, and
// calls read for each row.
func (db *DB) Query(ctx context.Context, text string, args []any, read func(*Row) error) error {
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	return errors.Join(Query(ctx, conn, text, args, read), conn.Close())
}

// Exec runs a statement on a writing connection, outside of any transaction.
func (db *DB) Exec(ctx context.Context, text string) error {
	_, err := db.writer.ExecContext(ctx, text)
	return err
}

// sent passes a statement on to [Options.OnStatement].
func (db *DB) sent(text string, args []any) {
	if db.opts.OnStatement != nil {
		db.opts.OnStatement(text, args)
	}
}

// limited bounds a pool.
func limited(pool *sql.DB, size int) *sql.DB {
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

// file is the file of a SQLite database.
type file struct {
	path string
	info os.FileInfo
	// immutable says that SQLite does not look for changes of the file.
	immutable bool
}

// note remembers which file is open.
func (f *file) note() (err error) {
	if f.info, err = os.Stat(f.path); err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	return nil
}

// FileError says that what is read from a SQLite database is no longer the data
// of its file.
type FileError struct{ text string }

// Error is one line.
func (e *FileError) Error() string { return e.text }

// check is [DB.CheckFile].
func (f *file) check() error {
	now, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{"the database file was deleted"}
	case err != nil:
		return fmt.Errorf("looking for the database file: %w", err)
	case !os.SameFile(f.info, now):
		return &FileError{"the database file was replaced"}
	}
	if log, err := os.Stat(f.path + "-wal"); f.immutable && (err == nil && log.Size() > 0 || !now.ModTime().Equal(f.info.ModTime())) {
		return &FileError{"another process writes the database file, which this one may not write: start it again"}
	}
	return nil
}
