// Package database opens SQLite and PostgreSQL databases and runs transactions in
// them. It knows no table.
//
// Guarantees:
//   - A [Snapshot] reads one committed state with any number of statements.
//     Statements that concurrent reads wait for share one round trip to PostgreSQL.
//   - [DB.Write] commits everything or nothing. Writing transactions are serialised,
//     also between processes.
//   - [IsLost] distinguishes a lost connection from every other error.
//   - [DB.Migrate] brings the schema up to date, even if several processes open
//     the same new database at once.
//
// The package exists because database/sql starts a goroutine for each statement and
// converts each value by reflection, which takes as long as the database needs for a
// page. Building a statement with ent takes as long again. [Snapshot.Run] runs a
// statement directly on the driver, [Row] checks and reads its values, [Cache] can
// hold its text, and [Inserter] writes many rows.
//
// Start with open.go, then read tx.go and snapshot.go. On PostgreSQL, gather.go and
// pipeline.go implement snapshots.
package database
