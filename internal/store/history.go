package store

// commit identifies a commit under the lease. It is zero if none is known.
type commit struct {
	// epoch is that of the lease: programs that store no mark take the lease too.
	epoch int64
	// mark is the setting [tables.LastCommit].
	mark string
}
