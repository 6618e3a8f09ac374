//go:build !unix

package command

// openFiles returns how many files and connections the process may have open;
// known only on Unix.
func openFiles() (n uint64, known bool) { return 0, false }
