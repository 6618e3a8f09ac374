//go:build nosqlite

package command

// sqliteVersion returns [noSQLite]: the program was built without SQLite.
func sqliteVersion() string { return noSQLite }
