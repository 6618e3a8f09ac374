package reload_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/reload"
	"mintburn/internal/testing/expect"
)

// watched is a file whose text loads if it ends with a full stop.
type watched struct {
	t    *testing.T
	path string
	// loads counts the calls of Load, noted describes each call of Loaded.
	loads int
	text  string
	noted []string
	files *reload.Files
}

func watch(t *testing.T, text string) *watched {
	w := &watched{t: t, path: filepath.Join(t.TempDir(), "file")}
	w.write(text)
	w.files = &reload.Files{Paths: []string{w.path}, Load: w.load, Loaded: func(err error) {
		if err == nil {
			w.noted = append(w.noted, "loaded "+w.text)
		} else {
			w.noted = append(w.noted, strings.ReplaceAll(err.Error(), w.path, "file"))
		}
	}}
	expect.NoError(t, w.files.Start())
	return w
}

func (w *watched) load() error {
	w.loads++
	text, err := reload.Read(w.path, 100)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(string(text), ".") {
		return errors.New("not complete: " + string(text))
	}
	w.text = string(text)
	return nil
}

// write writes the file with a unique modification time, however coarse the file system's
// times are.
func (w *watched) write(text string) {
	expect.NoError(w.t, os.WriteFile(w.path, []byte(text), 0o600))
	w.touch()
}

func (w *watched) touch() {
	at := time.Unix(int64(1_700_000_000+time.Now().Nanosecond()), 0)
	expect.NoError(w.t, os.Chtimes(w.path, at, at))
}

// settled checks often enough to notice all changes.
func (w *watched) settled() {
	for range 3 {
		w.files.Check(false)
	}
}

func (w *watched) expect(loads int, noted ...string) {
	w.t.Helper()
	if got := strings.Join(w.noted, "; "); w.loads != loads || got != strings.Join(noted, "; ") {
		w.t.Errorf("%d loads, want %d: noted %s, want %s", w.loads, loads, got, strings.Join(noted, "; "))
	}
}

func TestFiles_Unchanged(t *testing.T) {
	w := watch(t, "a.")
	w.settled()
	w.files.Check(false)
	w.expect(1)
}

// TestFiles_HalfWritten checks that a growing file is not loaded, and that an incomplete
// file leaves the old contents in use.
func TestFiles_HalfWritten(t *testing.T) {
	w := watch(t, "a.")
	for _, text := range []string{"", "b", "bc."} {
		w.write(text)
		w.files.Check(false)
	}
	w.files.Check(false)
	w.files.Check(false)
	w.expect(2, "loaded bc.")
	w.write("half")
	w.settled()
	w.expect(3, "loaded bc.", "not complete: half")
	w.write("half more.")
	w.settled()
	w.expect(4, "loaded bc.", "not complete: half", "loaded half more.")
}

// TestFiles_Replaced replaces a file with another of the same size and time.
func TestFiles_Replaced(t *testing.T) {
	w := watch(t, "a.")
	before, err := os.Stat(w.path)
	expect.NoError(t, err)
	next := w.path + ".next"
	expect.NoError(t, os.WriteFile(next, []byte("b."), 0o600))
	expect.NoError(t, os.Chtimes(next, before.ModTime(), before.ModTime()))
	expect.NoError(t, os.Rename(next, w.path))
	w.settled()
	w.expect(2, "loaded b.")
}

// TestFiles_Gone checks that a missing file is reported once, and loaded when it is back.
func TestFiles_Gone(t *testing.T) {
	w := watch(t, "a.")
	expect.NoError(t, os.Remove(w.path))
	w.settled()
	w.settled()
	gone := "open file: no such file or directory"
	if w.loads < 3 {
		t.Errorf("%d loads: want a try at each check", w.loads)
	}
	w.expect(w.loads, gone)
	w.write("b.")
	w.settled()
	w.expect(w.loads, gone, "loaded b.")
	if w.text != "b." {
		t.Errorf("loaded %s", w.text)
	}
}

// TestFiles_Now checks that a hangup loads a file at once, even an unchanged one.
func TestFiles_Now(t *testing.T) {
	w := watch(t, "a.")
	w.files.Check(true)
	w.write("b.")
	w.files.Check(true)
	w.files.Check(true)
	w.write("c")
	w.files.Check(true)
	w.files.Check(true)
	w.settled()
	w.expect(6, "loaded a.", "loaded b.", "loaded b.", "not complete: c")
}

func TestRead_Bound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(path, make([]byte, 100), 0o600))
	if text, err := reload.Read(path, 100); err != nil || len(text) != 100 {
		t.Errorf("%d bytes: %v", len(text), err)
	}
	if _, err := reload.Read(path, 99); err == nil || !strings.HasSuffix(err.Error(), "file: want at most 99 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestRun checks that Run handles ticks and hangups, and ends with its context.
func TestRun(t *testing.T) {
	w := watch(t, "a.")
	ctx, stop := context.WithCancel(t.Context())
	ticks, now := make(chan time.Time), make(chan os.Signal)
	var running sync.WaitGroup
	running.Go(func() { reload.Run(ctx, ticks, now, w.files) })
	now <- os.Interrupt
	w.write("b.")
	for range 3 {
		ticks <- time.Time{}
	}
	stop()
	running.Wait()
	if w.text != "b." || w.loads < 3 {
		t.Errorf("loaded %s, %d loads", w.text, w.loads)
	}
}
