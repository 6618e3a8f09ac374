package console

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Console is standard error, which shows logs and progress.
type Console struct {
	// Terminal is nil if standard error is no terminal.
	Terminal *terminal
	Log      *slog.Logger
	// Every is the time between log lines of progress.
	Every time.Duration
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminal is standard error with a last line that changes. Other output appears above it.
type terminal struct {
	file *os.File
	mu   sync.Mutex // guards line
	line string
}

// NewTerminal returns nil if w is not a terminal.
func NewTerminal(w io.Writer) *terminal {
	if !IsTerminal(w) {
		return nil
	}
	return &terminal{file: w.(*os.File)}
}

// clearLine moves the cursor to the beginning of the line and clears it.
const clearLine = "\r\x1b[K"

// Write writes whole lines above the last one.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.line == "" {
		return t.file.Write(p)
	}
	_, err := fmt.Fprintf(t.file, "%s%s%s", clearLine, p, t.line)
	return len(p), err
}

// Show replaces the last line, or removes it if line is empty. It cuts a line that is wider
// than the terminal.
func (t *terminal) Show(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if width, _, err := term.GetSize(int(t.file.Fd())); err == nil && len(line) >= width && width > 0 {
		line = line[:width-1]
	}
	if line != t.line {
		t.line = line
		_, _ = io.WriteString(t.file, clearLine+line)
	}
}
