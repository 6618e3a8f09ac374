package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// FileError is the error for a SQLite database that can't be used at the moment: one of
// its files was deleted or replaced, or can't be written.
type FileError struct {
	text  string
	cause error
}

// Error returns the message, which is one line.
func (e *FileError) Error() string { return e.text }

// Unwrap returns SQLite's error, or nil if there is none.
func (e *FileError) Unwrap() error { return e.cause }

// ForeignError says that the schema of a SQLite file is not that of its migrations.
type ForeignError struct {
	// Objects describe the triggers, views and tables that differ, in order.
	Objects []string
}

// Error returns one line.
func (e *ForeignError) Error() string {
	more := ""
	if n := len(e.Objects) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("got a SQLite file with %s%s, which this program does not make: want the file without it", e.Objects[0], more)
}

// file is the file of a SQLite database, together with its write-ahead log and the log's index.
type file struct {
	path string
	// opened lists the files that SQLite keeps open.
	opened []openedFile
	// immutable is set if SQLite does not check the file for changes.
	immutable bool
}

// openedFile describes a file as it was when it was opened.
type openedFile struct {
	name, path string
	info       os.FileInfo
}

// note records the open files: the database and, if it is writable, its write-ahead log
// and the log's index.
func (f *file) note(writable bool) error {
	f.opened = []openedFile{{name: "the database file", path: f.path}}
	if writable {
		f.opened = append(f.opened,
			openedFile{name: "the write-ahead log of the database", path: f.path + "-wal"},
			openedFile{name: "the index of the write-ahead log", path: f.path + "-shm"})
	}
	for i := range f.opened {
		info, err := os.Stat(f.opened[i].path)
		if err != nil {
			return Wrap(err, "opening database")
		}
		f.opened[i].info = info
	}
	return nil
}

// check implements [DB.CheckFile].
func (f *file) check() error {
	if err := f.same(); err != nil || !f.immutable {
		return err
	}
	now, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("looking for the database file: %w", err)
	}
	if log, err := os.Stat(f.path + "-wal"); err == nil && log.Size() > 0 || !now.ModTime().Equal(f.opened[0].info.ModTime()) {
		return &FileError{text: "another process writes the database file, which this process opened read-only: restart this process"}
	}
	return nil
}

// same returns a [*FileError] if a file was deleted or replaced.
func (f *file) same() error {
	for _, opened := range f.opened {
		now, err := os.Stat(opened.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &FileError{text: opened.name + " was deleted"}
		case err != nil:
			return fmt.Errorf("looking for %s: %w", opened.name, err)
		case !os.SameFile(opened.info, now):
			return &FileError{text: opened.name + " was replaced"}
		}
	}
	return nil
}
