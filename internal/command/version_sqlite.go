//go:build !nosqlite

package command

import "github.com/mattn/go-sqlite3"

// sqliteVersion returns the version of SQLite in the program.
func sqliteVersion() string {
	version, _, _ := sqlite3.Version()
	return version
}
