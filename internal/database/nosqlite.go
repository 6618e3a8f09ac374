//go:build !cgo || nosqlite

package database

import (
	"context"
	"errors"
)

// checkSQLite returns an error: this build has no SQLite.
func checkSQLite() error {
	return errors.New("this program was built without SQLite (-tags nosqlite): want postgres://…")
}

func (*DB) openSQLite(context.Context, string) error { return checkSQLite() }

// IsOther returns false: this build opens no file.
func IsOther(error) bool { return false }

func isBusy(error) bool { return false }

func isRefusedBySQLite(error) bool { return false }

// Abandon closes the database.
func (db *DB) Abandon(string) error { return db.Close() }

func (*file) named(err error) error { return err }

// Backup returns an error: this build has no SQLite.
func Backup(context.Context, string, string, string) error { return checkSQLite() }

// Restore returns an error: this build has no SQLite.
func Restore(context.Context, string, string, string, string, []Migration) error {
	return checkSQLite()
}

// CheckSchema returns nil: only SQLite's schemas are checked.
func (*DB) CheckSchema(context.Context, []Migration) error { return nil }
