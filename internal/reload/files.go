package reload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Files are files that are loaded together, such as a certificate and its key.
type Files struct {
	Paths []string
	// Load loads the files, or leaves everything as it was and returns an error.
	Load func() error
	// Loaded is called after each try with the error of Load, except for an error that
	// the last call had too.
	Loaded func(error)

	// loaded is the state in which the files were last loaded, seen that of the last
	// Check.
	loaded, seen []os.FileInfo
	failure      string
}

// Start loads the files for the first time. It does not call Loaded.
func (f *Files) Start() error {
	f.loaded = f.state()
	f.seen = f.loaded
	return f.Load()
}

// Run checks files at each tick, and loads them at each value of now, which a signal sends,
// until ctx ends.
func Run(ctx context.Context, ticks <-chan time.Time, now <-chan os.Signal, list ...*Files) {
	for {
		hangup := false
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		case <-now:
			hangup = true
		}
		for _, f := range list {
			f.Check(hangup)
		}
	}
}

// Check loads the files again, after Start: now, or if they are not as they were when they
// were last loaded, but as they were at the last Check, so that a file that is still being
// written is left alone.
func (f *Files) Check(now bool) {
	state := f.state()
	if now || same(state, f.seen) && !same(state, f.loaded) {
		f.load(state)
	}
	f.seen = state
}

// load loads the files in a state, from before they are read.
func (f *Files) load(state []os.FileInfo) {
	err := f.Load()
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	// A file that cannot be read has no other state once it can.
	if !errors.As(err, new(*os.PathError)) {
		f.loaded = state
	}
	if err == nil || failure != f.failure {
		f.Loaded(err)
	}
	f.failure = failure
}

// state returns what the system knows of the files: nil for those that are not there.
func (f *Files) state() (list []os.FileInfo) {
	for _, path := range f.Paths {
		// Load has the same error.
		info, _ := os.Stat(path)
		list = append(list, info)
	}
	return list
}

// same reports whether two states are of the same files without a change.
func same(a, b []os.FileInfo) bool {
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil:
		case a[i] == nil || b[i] == nil:
			return false
		case !os.SameFile(a[i], b[i]) || !a[i].ModTime().Equal(b[i].ModTime()) || a[i].Size() != b[i].Size() || a[i].Mode() != b[i].Mode():
			return false
		}
	}
	return true
}

// Read reads a file of at most so many bytes.
func Read(path string, most int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s: want at most %d bytes", path, most)
	}
	return text, err
}
