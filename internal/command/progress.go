package command

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"mintburn/internal/indexer"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// progress shows the progress of long work: a bar on a terminal, log lines elsewhere.
type progress struct {
	env *env
	// read returns the finished amount and the total, which is 0 if unknown.
	read    func() (done, size int64)
	unit    string
	bar     *progressbar.ProgressBar
	records atomic.Int64
	started time.Time
	// shown is the finished amount in the last log line.
	shown   int64
	every   time.Duration
	ended   chan struct{}
	waiting sync.WaitGroup
}

// newProgress shows the progress of work until stop is called.
func newProgress(e *env, unit string, read func() (done, size int64)) *progress {
	p := &progress{env: e, read: read, unit: unit, started: time.Now(), every: e.every, ended: make(chan struct{})}
	if isTerminal(e.stderr) {
		p.bar = progressbar.NewOptions64(-1,
			progressbar.OptionSetWriter(e.stderr), progressbar.OptionShowBytes(unit == "bytes"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		p.every = 200 * time.Millisecond
	}
	p.waiting.Go(func() {
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show()
			case <-p.ended:
				return
			}
		}
	})
	return p
}

func (p *progress) show() {
	done, size := p.read()
	records, seconds := p.records.Load(), time.Since(p.started).Seconds()
	if p.bar != nil {
		if size > 0 {
			p.bar.ChangeMax64(size)
		}
		if records > 0 {
			p.bar.Describe(fmt.Sprintf("%d records, %.0f/s", records, float64(records)/seconds))
		}
		_ = p.bar.Set64(done)
		return
	}
	if done == p.shown {
		return
	}
	p.shown = done
	line := []any{p.unit, done, p.unit + "_per_second", int(float64(done) / seconds)}
	if records > 0 {
		line = append(line, "records", records, "records_per_second", int(float64(records)/seconds))
	}
	if size > 0 && done > 0 {
		left := time.Duration(seconds * float64(size-done) / float64(done) * float64(time.Second))
		line = append(line, "percent", 100*done/size, "eta", left.Round(time.Second).String())
	}
	p.env.log.Info("progress", line...)
}

// add counts stored records.
func (p *progress) add(records int) { p.records.Add(int64(records)) }

// stop ends the display, with a last line if the work took long enough.
func (p *progress) stop() {
	close(p.ended)
	p.waiting.Wait()
	if time.Since(p.started) >= p.every {
		p.show()
	}
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// indexed counts the blocks that a follower has indexed.
type indexed struct {
	progress   *progress
	done, left atomic.Int64
	// last is the number of the last indexed block.
	last atomic.Uint64
}

// String returns the counts as the rest of a sentence that begins with "Indexed".
func (i *indexed) String() string {
	done := i.done.Load()
	if done == 0 {
		return "nothing: the database is at the head of the chain"
	}
	return fmt.Sprintf("%d blocks with %d mints and burns, up to block %d", done, i.progress.records.Load(), i.last.Load())
}

// newIndexed shows the progress of a follower.
func newIndexed(e *env) *indexed {
	i := &indexed{}
	i.progress = newProgress(e, "blocks", func() (done, size int64) {
		done = i.done.Load()
		return done, done + i.left.Load()
	})
	return i
}

// add counts a committed transaction.
func (i *indexed) add(p indexer.Progress) {
	i.left.Store(int64(p.Head) - int64(p.Block))
	i.last.Store(p.Block)
	i.progress.add(p.Records)
	// Last, because show logs each number of blocks only once, with the other counts.
	i.done.Add(int64(p.Blocks))
}
