//go:build nosqlite

package command

// sqliteVersion says that the program was built without SQLite.
func sqliteVersion() string { return "none" }
