package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"mintburn/internal/retrying"
	"mintburn/internal/store/document"
	"mintburn/internal/store/write"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminal is standard error with a last line that changes. Other output appears above it.
type terminal struct {
	file *os.File
	mu   sync.Mutex // guards line
	line string
}

// newTerminal returns nil if w is not a terminal.
func newTerminal(w io.Writer) *terminal {
	if !isTerminal(w) {
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

// show replaces the last line, or removes it if line is empty. It cuts a line that is wider
// than the terminal.
func (t *terminal) show(line string) {
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

// status shows the state of a follower at the head until ctx ends: a line on a terminal, a log
// line a minute elsewhere.
func (i *indexed) status(ctx context.Context, e *env, s *write.DB) {
	every := 6 * e.every
	if e.terminal != nil {
		every = e.every / 5
		defer e.terminal.show("")
	}
	for caughtUp := false; !caughtUp; {
		select {
		case <-i.atHead:
			caughtUp = true
		case <-time.After(min(every, time.Second)):
			// Without a commit, only the stored head shows that nothing is missing.
			chain, err := chainOf(ctx, s)
			if head := i.head.Load(); err == nil && head > 0 && i.done.Load() == 0 && chain.Head != nil && chain.Head.Number >= head {
				i.caughtUp(chain.Head.Number)
			}
		case <-ctx.Done():
			return
		}
	}
	recent := window{span: time.Minute}
	recent.since(e.now(), i.mintsBefore)
	for retrying.Sleep(ctx, every) == nil {
		now := e.now()
		mints, _ := recent.since(now, i.mints.Load())
		figures, err := figuresOf(ctx, s, now)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && e.terminal != nil:
			e.terminal.show(oneLine(err))
		case err != nil:
			e.log.Warn("reading the state of the chain", "error", err)
		case e.terminal != nil:
			e.terminal.show(fmt.Sprintf("head %d, lag %s, %d mints/min, documents: %d waiting, %d failed, %d reorgs",
				figures.head, figures.lag, mints[0], figures.waiting, figures.failed, i.reorgs.Load()))
		default:
			e.log.Info("following", "block", figures.head, "lag", figures.lag.String(), "mints_last_minute", mints[0],
				"documents_waiting", figures.waiting, "documents_failed", figures.failed, "reorgs", i.reorgs.Load())
		}
	}
}

// figures describe the state of the data.
type figures struct {
	head uint64
	lag  time.Duration
	// waiting is the number of tokens whose document is due, up to mostDue, and failed that of
	// those whose last fetch failed.
	waiting int
	failed  int64
}

func figuresOf(ctx context.Context, s *write.DB, now time.Time) (f figures, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	chain, err := snapshot.Chain(ctx)
	if err != nil {
		return f, err
	}
	if chain.Head != nil {
		f.head, f.lag = chain.Head.Number, age(chain.Head, now).Round(time.Second)
	}
	if f.waiting, err = document.Due(ctx, snapshot, now, mostDue); err == nil {
		f.failed, err = document.FailedDocuments(ctx, snapshot)
	}
	return f, err
}
