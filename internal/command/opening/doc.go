// Package opening opens the database of a command: it waits for PostgreSQL, migrates, takes the
// lease, builds the indexes that a load left pending, and stops work when a newer program migrates
// the database.
//
// Start with database.go, which has the flags.
package opening
