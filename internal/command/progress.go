package command

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func isTerminalFile(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// progress shows how long work goes: a bar on a terminal, log lines elsewhere.
type progress struct {
	env     *env
	read    func() (done, size int64)
	bar     *progressbar.ProgressBar
	records atomic.Int64
	started time.Time
	ended   chan struct{}
	waiting sync.WaitGroup
}

// newProgress starts to show work of which read bytes of size are done; a size
// of 0 is not known.
func newProgress(e *env, read func() (done, size int64)) *progress {
	p := &progress{env: e, read: read, started: time.Now(), ended: make(chan struct{})}
	every := 10 * time.Second
	if isTerminal(e.stderr) {
		_, size := read()
		if size == 0 {
			size = -1
		}
		p.bar = progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(e.stderr), progressbar.OptionShowBytes(true),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		every = 200 * time.Millisecond
	}
	p.waiting.Go(func() {
		tick := time.NewTicker(every)
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
		p.bar.Describe(fmt.Sprintf("%d records, %.0f/s", records, float64(records)/seconds))
		_ = p.bar.Set64(done)
		return
	}
	line := []any{"records", records, "records_per_second", int(float64(records) / seconds)}
	if size > 0 && done > 0 {
		left := time.Duration(seconds * float64(size-done) / float64(done) * float64(time.Second))
		line = append(line, "percent", 100*done/size, "eta", left.Round(time.Second).String())
	}
	p.env.log.Info("importing", line...)
}

// add counts stored records.
func (p *progress) add(records int) { p.records.Add(int64(records)) }

// stop ends the display.
func (p *progress) stop() {
	close(p.ended)
	p.waiting.Wait()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
