package console

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Progress shows the progress of long work: a bar on a terminal, log lines elsewhere.
type Progress struct {
	console Console
	// read returns the finished amount and the total, which is 0 if unknown.
	read    func() (done, size int64)
	unit    string
	Records atomic.Int64
	started time.Time
	recent  Window
	// shown is the finished amount in the last log line.
	shown   int64
	every   time.Duration
	ended   chan struct{}
	waiting sync.WaitGroup
	once    sync.Once
}

// rateSpan is the time of which progress shows the rates.
const rateSpan = 30 * time.Second

// NewProgress shows the progress of work until stop is called.
func NewProgress(c Console, unit string, read func() (done, size int64)) *Progress {
	p := &Progress{console: c, read: read, unit: unit, started: time.Now(), recent: Window{Span: rateSpan}, every: c.Every, ended: make(chan struct{})}
	p.recent.Since(p.started)
	if c.Terminal != nil {
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

func (p *Progress) show() {
	done, size := p.read()
	records := p.Records.Load()
	if p.console.Terminal == nil && done == p.shown {
		return
	}
	counts, seconds := p.recent.Since(time.Now(), done, records)
	rate := func(n int64) int { return int(float64(n) / max(seconds, 1e-3)) }
	left := ""
	if size > 0 && counts[0] > 0 {
		left = time.Duration(seconds * float64(max(0, size-done)) / float64(counts[0]) * float64(time.Second)).Round(time.Second).String()
	}
	if p.console.Terminal != nil {
		text := bar(done, size, p.unit)
		if records > 0 {
			text += fmt.Sprintf(", %d records/s", rate(counts[1]))
		} else {
			text += ", " + amount(int64(rate(counts[0])), p.unit) + "/s"
		}
		if left != "" {
			text += ", " + left + " left"
		}
		p.console.Terminal.Show(text)
		return
	}
	p.shown = done
	line := []any{p.unit, done, p.unit + "_per_second", rate(counts[0])}
	if records > 0 {
		line = append(line, "records", records, "records_per_second", rate(counts[1]))
	}
	if left != "" {
		line = append(line, "percent", min(100, 100*done/size), "eta", left)
	}
	p.console.Log.Info("progress", line...)
}

// bar draws how much of a size is done, or writes the amount if the size is unknown, 0.
func bar(done, size int64, unit string) string {
	if size <= 0 {
		return amount(done, unit)
	}
	const width = 20
	done = min(done, size)
	full := int(width * done / size)
	return fmt.Sprintf("%3d%% [%s%s] %s", 100*done/size, strings.Repeat("=", full), strings.Repeat(" ", width-full), amount(size, unit))
}

// amount writes an amount; bytes as MB.
func amount(n int64, unit string) string {
	if unit == "bytes" {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// Add counts stored records.
func (p *Progress) Add(records int) { p.Records.Add(int64(records)) }

// Stop ends the display, with a last line if the work took long enough. Later calls do
// nothing.
func (p *Progress) Stop() {
	p.once.Do(func() {
		close(p.ended)
		p.waiting.Wait()
		if time.Since(p.started) >= p.every {
			p.show()
		}
		if p.console.Terminal != nil {
			p.console.Terminal.Show("")
		}
	})
}

// Window holds samples of two counters, of the last span and one before.
type Window struct {
	Span    time.Duration
	samples []sample
}

type sample struct {
	at     time.Time
	counts [2]int64
}

// Since adds a sample, and returns by how much the counters have grown since the oldest one,
// and in how many seconds. A counter that was set back has grown by 0.
func (w *Window) Since(now time.Time, counts ...int64) (grown [2]int64, seconds float64) {
	for len(w.samples) > 1 && now.Sub(w.samples[1].at) >= w.Span {
		w.samples = w.samples[1:]
	}
	one := sample{at: now}
	copy(one.counts[:], counts)
	w.samples = append(w.samples, one)
	first := w.samples[0]
	for i := range grown {
		grown[i] = max(0, one.counts[i]-first.counts[i])
	}
	return grown, max(0, now.Sub(first.at).Seconds())
}
