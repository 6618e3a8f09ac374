package recording

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"
)

// readAhead bounds the bytes of lines that are being parsed or wait to be taken.
// A longer line passes alone.
const readAhead = 16 << 20

// chunk is a run of whole lines of one file on its way through a pipeline.
type chunk struct {
	file  string
	line  int // number of the first line
	lines []byte

	// ready is closed by the worker that has set items and err.
	ready chan struct{}
	items []Item
	err   error
}

// pipeline is one goroutine that reads and decompresses, and one for each CPU
// that parses. Chunks are taken in the order in which they were read.
type pipeline struct {
	ordered chan *chunk // closed by the reading goroutine
	jobs    chan *chunk // the same chunks; closed by the reading goroutine
	ahead   *semaphore.Weighted
	buffers sync.Pool // of *[]byte

	reader, workers sync.WaitGroup
}

// start begins to read r. The goroutines end when ctx does, or by themselves
// when all chunks have been taken.
func (r *Recording) start(ctx context.Context) *pipeline {
	workers := runtime.GOMAXPROCS(0)
	p := &pipeline{
		ordered: make(chan *chunk, 4*workers),
		jobs:    make(chan *chunk, 4*workers),
		ahead:   semaphore.NewWeighted(readAhead),
	}
	p.reader.Go(func() {
		defer close(p.ordered)
		defer close(p.jobs)
		if err := r.readAll(ctx, p); err != nil {
			failed := &chunk{err: err, ready: make(chan struct{})}
			close(failed.ready)
			select {
			case p.ordered <- failed:
			case <-ctx.Done():
			}
		}
	})
	for range workers {
		p.workers.Go(func() {
			d := newDecoder()
			for c := range p.jobs {
				if ctx.Err() == nil {
					c.items, c.err = d.chunk(c)
				}
				close(c.ready)
			}
		})
	}
	return p
}

// readAll sends the chunks of all sources.
func (r *Recording) readAll(ctx context.Context, p *pipeline) error {
	for _, s := range r.sources {
		emit := func(line int, lines []byte) error {
			return p.send(ctx, &chunk{file: s.name, line: line, lines: lines, ready: make(chan struct{})})
		}
		if err := s.split(&r.read, splitter{maxLine: r.maxLine, buffer: p.buffer, emit: emit}); err != nil {
			return err
		}
	}
	return nil
}

// send waits for its share of readAhead and passes c to the workers.
func (p *pipeline) send(ctx context.Context, c *chunk) error {
	if err := p.ahead.Acquire(ctx, c.weight()); err != nil {
		return err
	}
	for _, to := range []chan<- *chunk{p.ordered, p.jobs} {
		select {
		case to <- c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// next returns the next chunk, parsed, or nil at the end.
func (p *pipeline) next(ctx context.Context) (*chunk, error) {
	select {
	case c, ok := <-p.ordered:
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !ok {
			return nil, nil
		}
		select {
		case <-c.ready:
			return c, ctx.Err()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// release returns the share of readAhead and the buffer of a chunk whose items
// were taken.
func (p *pipeline) release(c *chunk) {
	p.ahead.Release(c.weight())
	if cap(c.lines) <= 8*chunkSize {
		lines := c.lines[:0]
		p.buffers.Put(&lines)
	}
}

// weight is the share of [readAhead] that c takes.
func (c *chunk) weight() int64 { return min(int64(len(c.lines)), readAhead) }

// buffer returns an empty buffer with a capacity of at least size bytes.
func (p *pipeline) buffer(size int) []byte {
	if b, ok := p.buffers.Get().(*[]byte); ok && cap(*b) >= size {
		return (*b)[:0]
	}
	return make([]byte, 0, size)
}

// wait returns when the goroutines have ended, if all. The reader may wait for
// input that never comes, and the workers end after it.
func (p *pipeline) wait(all bool) {
	if all {
		p.reader.Wait()
		p.workers.Wait()
	}
}
