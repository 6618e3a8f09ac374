package database

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
)

// writers is the number of the PostgreSQL advisory lock that serialises writing
// transactions. Any number works if all processes use the same.
const writers = 7223372036854775

// Settings at the beginning of a transaction on PostgreSQL, which override the defaults of
// the server and the role. A writer whose process was stopped blocks the others until
// PostgreSQL ends its idle transaction. Write repeats the wait for the writers lock when
// lock_timeout ends it.
const (
	beginWriting = "SET LOCAL statement_timeout = '5min'; SET LOCAL lock_timeout = '2s'; SET LOCAL idle_in_transaction_session_timeout = "
	beginBrief   = "SET LOCAL statement_timeout = '3s'; SET LOCAL lock_timeout = '1s'; SET LOCAL idle_in_transaction_session_timeout = '3s'"
)

// idleLimit is how long a writing transaction on PostgreSQL may wait for its process.
// patientLimit is that of [Options.Patient]. It is as long as a writer waits for another on
// SQLite.
const idleLimit, patientLimit = "'5s'", "'10min'"

// beginMigrating begins a migration on PostgreSQL. It waits for other writers without a
// limit.
var beginMigrating = fmt.Sprintf("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; "+
	"SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%d); SET LOCAL lock_timeout = '30s'", writers)

// unlimited lifts the time limits of a connection to PostgreSQL. It sets only existing
// settings, because servers before version 14 lack one of these.
const unlimited = "SELECT set_config(name, '0', false) FROM pg_settings " +
	"WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')"

// waitNotice is how long a transaction waits for other writers before it calls
// [Options.OnWait].
const waitNotice = time.Second

// await reports to [Options.OnWait] that a transaction waits for other writers, unless the
// returned function is called within waitNotice. That function also reports the end of the
// wait.
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

// EndWriter terminates the PostgreSQL session that holds the writers lock. It is for a
// process that was stopped in the middle of a transaction and blocks all other writers.
func (db *DB) EndWriter(ctx context.Context) error {
	// pg_locks has the two halves of the lock's number.
	err := db.Exec(ctx, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = %d AND objid = %d", writers>>32, writers&(1<<32-1)))
	return Wrap(err, "ending the transaction of another process")
}

// Clock returns an SQL expression for the database's time in Unix milliseconds.
func (db *DB) Clock() string {
	if db.dialect == dialect.Postgres {
		return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS integer)"
}
