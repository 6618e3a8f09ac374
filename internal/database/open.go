package database

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// Open opens the database that dsn names: a file path, sqlite://PATH or a
// postgres:// URL. With [Options.Existing] it returns [ErrNoDatabase] if there is none.
func Open(ctx context.Context, dsn string, opts Options) (db *DB, err error) {
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	opts.Existing = opts.Existing || opts.ReadOnly
	db = &DB{opts: opts, dialect: DialectOf(dsn)}
	path, ok := sqlitePath(dsn)
	if opts.Readers == 0 {
		db.opts.Readers = DefaultReaders(dsn, 1)
	}
	if ok {
		err = db.openSQLite(ctx, path)
	} else {
		err = db.openPostgres(ctx, dsn)
	}
	if err != nil {
		return nil, errors.Join(err, db.Abandon(""))
	}
	return db, nil
}

// DefaultReaders returns the default of [Options.Readers] in a process that opens this many databases. Those
// on PostgreSQL share its connections.
func DefaultReaders(dsn string, databases int) int {
	if _, ok := sqlitePath(dsn); ok {
		return max(minReaders, runtime.GOMAXPROCS(0)+1)
	}
	return max(min(max(8, 8*runtime.GOMAXPROCS(0)), 64)/databases, 4)
}

// connectTimeout bounds how long opening a connection to PostgreSQL may take, unless
// the address has a connect_timeout.
const connectTimeout = 3 * time.Second

func (db *DB) openPostgres(ctx context.Context, dsn string) error {
	config, err := parsePostgres(dsn)
	if err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		// The operating system's timeout is minutes, longer than any operation may take.
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.RuntimeParams["client_encoding"] = "UTF8"
	limitSilence(config.ConnConfig, writeSilence)
	if db.pooled, err = checkServer(ctx, config.ConnConfig); err != nil {
		return Wrap(connectError(err), "opening database")
	}
	if db.pooled {
		// The next transaction may get a connection without its prepared statements.
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	} else {
		noticeLostClients(config.ConnConfig)
		if db.opts.ReadOnly {
			config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
		}
	}
	db.writer = limited(stdlib.OpenDB(*config.ConnConfig.Copy()), writerConns)
	limitSilence(config.ConnConfig, readSilence)
	if !db.pooled {
		prepareReading(config.ConnConfig)
	}
	config.MaxConns = int32(db.opts.Readers)
	// A snapshot notices a lost connection when it begins; a ping would cost a round trip.
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	if !db.opts.Existing {
		return nil
	}
	if found, err := isMigrated(ctx, db.writer, db.dialect); err != nil {
		return fmt.Errorf("opening database: %w", err)
	} else if !found {
		return fmt.Errorf("%w at the given address: PostgreSQL answers, but has no Mintburn tables", ErrNoDatabase)
	}
	return nil
}

// checkServer reports whether a pooler such as pgbouncer stands between the client and
// PostgreSQL. A pooler reports another process id than the server does. checkServer fails for a
// database that cannot store every text, and for a pooler without transactions.
func checkServer(ctx context.Context, config *pgx.ConnConfig) (pooled bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	var pid uint32
	var encoding string
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid(), current_setting('server_encoding')", pgx.QueryExecModeExec).Scan(&pid, &encoding)
	if err == nil && encoding != "UTF8" {
		err = fmt.Errorf("the database has the encoding %s: want UTF8, as of CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0", encoding, pgx.Identifier{config.Database}.Sanitize())
	}
	if pooled = pid != conn.PgConn().PID(); pooled && err == nil {
		if tx, failed := conn.Begin(ctx); failed == nil {
			err = tx.Rollback(ctx)
		} else if codeOf(failed) == "08P01" {
			err = errors.New("the pooler has no transactions, as pgbouncer with pool_mode = statement: want pool_mode = transaction")
		}
	}
	return pooled, errors.Join(err, conn.Close(ctx))
}
