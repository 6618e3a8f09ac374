//go:build !unix

package serving

// OpenFiles returns known false: the limit is known only on Unix.
func OpenFiles() (n uint64, known bool) { return 0, false }
