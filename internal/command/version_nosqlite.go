//go:build nosqlite

package command

// sqliteVersion returns "none": the program was built without SQLite.
func sqliteVersion() string { return "none" }
