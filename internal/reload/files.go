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
	// Load loads the files. If it fails, it must leave everything unchanged.
	Load func() error
	// Loaded is called with the error of Load after each reload, except for a repetition
	// of the last error.
	Loaded func(error)

	// loaded is the state of the files when they were last loaded, seen their state at the
	// last Check.
	loaded, seen []os.FileInfo
	failure      string
}

// Start loads the files for the first time. It does not call Loaded.
func (f *Files) Start() error {
	f.loaded = f.state()
	f.seen = f.loaded
	return f.Load()
}

// Run checks files at each tick, and loads them at each signal from now, until ctx ends.
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

// Check loads the files again if now is true, or if they have changed since they were last
// loaded but not since the last Check. So it does not load a file that is still being
// written. Start must be called first.
func (f *Files) Check(now bool) {
	state := f.state()
	if now || same(state, f.seen) && !same(state, f.loaded) {
		f.load(state)
	}
	f.seen = state
}

// load loads the files. state is their state before they are read.
func (f *Files) load(state []os.FileInfo) {
	err := f.Load()
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	// A file may become readable without a change of its state, so try it at each Check.
	if !errors.As(err, new(*os.PathError)) {
		f.loaded = state
	}
	if err == nil || failure != f.failure {
		f.Loaded(err)
	}
	f.failure = failure
}

// state returns the [os.FileInfo] of each file, nil for a missing file.
func (f *Files) state() (list []os.FileInfo) {
	for _, path := range f.Paths {
		// Load returns the same error.
		info, _ := os.Stat(path)
		list = append(list, info)
	}
	return list
}

// same reports whether two states are of the same, unchanged files.
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

// Read returns the contents of a file. It fails if the file is not regular, or has more than most bytes.
func Read(path string, most int) ([]byte, error) {
	// Before it is opened: that waits for the writer of a named pipe.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: got no regular file, want one", path)
	}
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
