//go:build !unix

package command

// descriptors returns how many files and connections the process may have open,
// which is known on Unix only.
func descriptors() (n uint64, known bool) { return 0, false }
