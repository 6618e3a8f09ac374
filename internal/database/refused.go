package database

import "strings"

// IsRefused reports whether the database refuses the data of a row: a value that it cannot
// store, or that violates a constraint (PostgreSQL manual, appendix A, classes 22 and 23). The
// same data will be refused again.
func IsRefused(err error) bool {
	code := codeOf(err)
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "23") || isRefusedBySQLite(err)
}
