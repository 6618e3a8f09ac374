package database

import "context"

// Options configure a [DB].
type Options struct {
	// Loading makes large imports faster: SQLite checkpoints the write-ahead log less
	// often and has a larger cache. Durability after a crash is the same.
	Loading bool
	// Existing makes [Open] return [ErrNoDatabase] instead of creating a database. It also
	// opens read-only SQLite files.
	Existing bool
	// ReadOnly makes [Open] change nothing, and return [ErrNoDatabase] if there is no
	// database: no byte of SQLite's files nor of their folder, and on PostgreSQL only
	// read-only transactions. Behind a pooler, which keeps no settings, only those of
	// snapshots are. A write-ahead log that needs recovery is an error.
	ReadOnly bool
	// Unmapped keeps SQLite from mapping the file into memory. It is for a process that
	// reads much of the file once and whose memory must not grow with the file.
	Unmapped bool
	// Patient lets a writing transaction on PostgreSQL wait for its process for ten minutes
	// rather than five seconds, while the process is stopped or slow. It is for work that ends
	// by itself: a follower must not keep another one from taking over.
	Patient bool
	// Readers is the size of the pool of reading connections. 0 means one more than the process may
	// use CPUs for SQLite, at least 5. For PostgreSQL it means 8 for each of these CPUs, within 8 to
	// 64: PostgreSQL serves more statements at once than it has CPUs.
	Readers int
	// OnStatement, if not nil, is called with each statement of a snapshot, and with
	// the reads and single writes of a writing transaction.
	OnStatement func(query string, args []any)
	// Trace, if not nil, is called before each round trip of a read. The returned function,
	// if not nil, is called with the texts of the statements once their rows are read. On
	// SQLite each statement is a round trip.
	Trace func(ctx context.Context) (end func(texts []string, err error))
	// OnWait, if not nil, is called with true once a writing transaction has waited for
	// another process for a second, and with false when that wait ends.
	OnWait func(waits bool)
}

// SmallCache is the PRAGMA cache_size of a SQLite writer that is not loading:
// negative, so in KiB.
const SmallCache = -16_000

// minReaders is how many connections read a SQLite file unless [Options.Readers] says otherwise or the
// machine has more processors.
const minReaders = 5
