package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// file is the file of a SQLite database.
type file struct {
	path string
	info os.FileInfo
	// immutable says that SQLite does not look for changes of the file.
	immutable bool
}

// note remembers which file is open.
func (f *file) note() (err error) {
	if f.info, err = os.Stat(f.path); err != nil {
		return fmt.Errorf("opening database: %w", err)
	}
	return nil
}

// FileError says that what is read from a SQLite database is no longer the data
// of its file.
type FileError struct{ text string }

// Error is one line.
func (e *FileError) Error() string { return e.text }

// check is [DB.CheckFile].
func (f *file) check() error {
	now, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{"the database file was deleted"}
	case err != nil:
		return fmt.Errorf("looking for the database file: %w", err)
	case !os.SameFile(f.info, now):
		return &FileError{"the database file was replaced"}
	}
	if log, err := os.Stat(f.path + "-wal"); f.immutable && (err == nil && log.Size() > 0 || !now.ModTime().Equal(f.info.ModTime())) {
		return &FileError{"another process writes the database file, which this one may not write: start it again"}
	}
	return nil
}
