//go:build cgo && !nosqlite

package database

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
)

func (db *DB) openSQLite(ctx context.Context, path string) (err error) {
	db.file = &file{path: path}
	var readOnly url.Values
	mapped := perReader(mappedBytes, db.opts.Readers)
	if db.opts.Unmapped {
		mapped = 0
	}
	if !db.opts.Existing {
		// Only one process creates the file, and with it the right to remove it.
		if created, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			db.created = true
			if err := created.Close(); err != nil {
				return err
			}
		}
	}
	if readOnly, err = requireSQLite(ctx, path, db.opts.ReadOnly); err != nil && (db.opts.Existing || !errors.Is(err, ErrNoDatabase)) {
		return err
	}
	switch {
	case readOnly != nil && db.opts.Existing:
		db.file.immutable = readOnly.Has("immutable")
		db.writer = db.file.pool(1, 0, readOnly)
		db.reader = db.file.pool(db.opts.Readers, mapped, readerValues(db.opts.Readers), readOnly)
		return db.file.note(false)
	case db.opts.Loading:
		// Inserts into indexes with scattered keys touch every page once per
		// transaction. Fewer checkpoints write each page fewer times.
		err = db.openWriter(ctx, path, -512_000, 100_000)
	default:
		err = db.openWriter(ctx, path, SmallCache, 1_000)
	}
	if err != nil {
		return err
	}
	db.reader = db.file.pool(db.opts.Readers, mapped, readerValues(db.opts.Readers))
	return db.file.note(true)
}

func (db *DB) openWriter(ctx context.Context, path string, cache, checkpoint int) error {
	db.writer = db.file.pool(1, 0, writerValues(), url.Values{"_txlock": {"immediate"}, "_cache_size": {fmt.Sprint(cache)}})
	// Two threads help to sort the entries of a new index. The last pragma reads the file,
	// so that SQLite opens the log.
	_, err := db.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d; PRAGMA threads = 2; PRAGMA user_version", checkpoint))
	err = db.file.named(err)
	if unwritable := new(FileError); errors.As(err, &unwritable) {
		return err
	}
	return Wrap(err, "opening database %s", path)
}
