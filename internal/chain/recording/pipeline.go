package recording

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// readAhead bounds the bytes of lines and archived blocks that are being parsed or wait for
// the consumer. A longer one passes alone.
const readAhead = 16 << 20

// chunk is a run of complete lines of one file, or a block of an archive, on its way through a
// pipeline.
type chunk struct {
	file string
	line int // number of the first line
	text []byte
	// archived is nil if text contains lines.
	archived *archived

	// ready is closed by the worker that has set items and err.
	ready chan struct{}
	items []Item
	err   error
}

// pipeline has one goroutine that reads and decompresses, and up to one per CPU that
// parse. Chunks are consumed in the order in which they were read.
type pipeline struct {
	ordered  chan *chunk // closed by the reading goroutine
	ahead    *semaphore.Weighted
	buffers  sync.Pool // of *[]byte
	decoders sync.Pool // of *decoder

	reader  sync.WaitGroup
	workers errgroup.Group
}

// start starts reading r. The goroutines end when ctx does, or when all chunks have been
// consumed.
func (r *Recording) start(ctx context.Context) *pipeline {
	workers := runtime.GOMAXPROCS(0)
	p := &pipeline{ordered: make(chan *chunk, 4*workers), ahead: semaphore.NewWeighted(readAhead)}
	p.decoders.New = func() any {
		d := newDecoder()
		d.logs.Costs = r.Transactions
		return d
	}
	p.workers.SetLimit(workers)
	p.reader.Go(func() {
		defer close(p.ordered)
		if err := r.readAll(ctx, p); err != nil {
			failed := &chunk{err: err, ready: make(chan struct{})}
			close(failed.ready)
			select {
			case p.ordered <- failed:
			case <-ctx.Done():
			}
		}
	})
	return p
}

// readAll sends the chunks of all sources.
func (r *Recording) readAll(ctx context.Context, p *pipeline) error {
	for _, s := range r.sources {
		if s.archive {
			if err := r.sendArchive(ctx, p, s.name); err != nil {
				return err
			}
			continue
		}
		emit := func(line int, lines []byte) error {
			return p.send(ctx, &chunk{file: s.name, line: line, text: lines, ready: make(chan struct{})})
		}
		if err := s.split(&r.read, splitter{maxLine: r.maxLine, buffer: p.buffer, emit: emit}); err != nil {
			return err
		}
	}
	return nil
}

// send waits for its share of readAhead and for a worker, which parses c.
func (p *pipeline) send(ctx context.Context, c *chunk) error {
	if err := p.ahead.Acquire(ctx, c.weight()); err != nil {
		return err
	}
	p.workers.Go(func() error {
		defer close(c.ready)
		if c.archived != nil {
			c.items, c.err = c.archived.items(c)
			return nil
		}
		d := p.decoders.Get().(*decoder)
		defer p.decoders.Put(d)
		c.items, c.err = d.chunk(c)
		return nil
	})
	select {
	case p.ordered <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next returns the next chunk, parsed, or nil at the end.
func (p *pipeline) next(ctx context.Context) (*chunk, error) {
	select {
	case c := <-p.ordered:
		if c != nil {
			select {
			case <-c.ready:
			case <-ctx.Done():
			}
		}
		return c, ctx.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// release returns the share of readAhead and the buffer of a consumed chunk.
func (p *pipeline) release(c *chunk) {
	p.ahead.Release(c.weight())
	if cap(c.text) <= 8*chunkSize {
		text := c.text[:0]
		p.buffers.Put(&text)
	}
}

// weight is the share of [readAhead] that c takes.
func (c *chunk) weight() int64 { return min(int64(len(c.text)), readAhead) }

// buffer returns an empty buffer with a capacity of at least size bytes.
func (p *pipeline) buffer(size int) []byte {
	if b, ok := p.buffers.Get().(*[]byte); ok && cap(*b) >= size {
		return (*b)[:0]
	}
	return make([]byte, 0, size)
}
