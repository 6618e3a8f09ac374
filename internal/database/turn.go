package database

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
)

// writers names the lock of PostgreSQL by which writing transactions wait for each
// other. Any number will do: it only has to be the same for all of them.
const writers = 7223372036854775

// How PostgreSQL begins transactions, whatever the defaults of the server and the role
// are. A writer whose process was stopped holds up the others until it has been idle for
// too long. A wait for the lock of writers begins anew each time.
const (
	beginWriting = "SET LOCAL statement_timeout = '5min'; SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = '5s'"
	beginBrief   = "SET LOCAL statement_timeout = '3s'; SET LOCAL lock_timeout = '1s'; SET LOCAL idle_in_transaction_session_timeout = '3s'"
)

// How a migration on PostgreSQL begins. It waits for other writers for as long as they take.
// The settings of unlimited last as long as the connection; servers before version 14 lack
// one of them.
var beginMigrating = fmt.Sprintf("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; "+
	"SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = '30s'", writers)

const unlimited = "SELECT set_config(name, '0', false) FROM pg_settings " +
	"WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')"

// waitNotice is how long a transaction waits for other writers before [Options.OnWait]
// hears of it.
const waitNotice = time.Second

// await tells [Options.OnWait] that a transaction waits for other writers, if that takes
// until the returned function is called.
func (db *DB) await() (done func()) {
	if db.opts.OnWait == nil {
		return func() {}
	}
	notice := time.AfterFunc(waitNotice, func() { db.opts.OnWait(true) })
	return func() {
		if !notice.Stop() {
			db.opts.OnWait(false)
		}
	}
}

// EndWriter ends the connection to PostgreSQL whose transaction holds up all others:
// that of a process which was stopped in the middle of it.
func (db *DB) EndWriter(ctx context.Context) error {
	// The two halves of the lock's number.
	_, err := db.writer.ExecContext(ctx, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = %d AND objid = %d", writers>>32, writers&(1<<32-1)))
	return Wrap(err, "ending the transaction of another process")
}

// Clock returns the expression of the database's time, in Unix milliseconds.
func (db *DB) Clock() string {
	if db.dialect == dialect.Postgres {
		return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS integer)"
}
