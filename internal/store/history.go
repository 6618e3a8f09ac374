package store

// A history is a sequence of commits without a fork. Two snapshots of one history agree on
// each number that the database gave to a contract, as far as both have it. PostgreSQL uses
// numbers again after a failover that lost commits, after a restore, and in a new database.
//
// Each transaction under the lease stores a random mark, and its process remembers the mark
// once the commit has succeeded. If the next transaction finds another one, then the former
// was lost, or another process has written since. It then begins a new history and a new
// generation, and reads what it remembers again. Without the lease, each transaction that
// numbers a contract begins a new history.
//
// Whatever a process remembers by such a number belongs to the history that its snapshot
// reads: see [read.numbers]. Counter trees belong to the last commit, see [writer.continueLast].
// Cursors and ids contain no numbers of the database, and ETags are hashes of answers.

// commit identifies a commit under the lease. It is zero if none is known.
type commit struct {
	// epoch is that of the lease: programs that store no mark take the lease too.
	epoch int64
	// mark is the setting [tables.LastCommit].
	mark string
}
