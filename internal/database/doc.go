// Package database opens SQLite and PostgreSQL and runs transactions in them. It
// knows no table and imports nothing of this project.
//
// What it promises:
//   - A [Snapshot] reads one committed state, however many statements it takes.
//     Those that are waited for at the same time take one round trip to PostgreSQL.
//   - [DB.Write] commits everything or nothing. Writing transactions wait for each
//     other, those of other processes included.
//   - [IsLost] tells a connection that broke from every other error.
//   - [DB.Migrate] brings a schema up to date, also when several processes open
//     the same new database at once.
//
// It exists because database/sql starts a goroutine for each statement and
// converts each value by reflection, which takes as long as the database takes for
// a page; and because ent takes as long to build a statement. [Query] runs a
// statement on the driver, [Row] checks and reads its values, [Statements] caches
// its text, [Inserter] writes many rows.
//
// Open open.go first, then snapshot.go, which gather.go and pipeline.go carry out on
// PostgreSQL, and tx.go.
package database
