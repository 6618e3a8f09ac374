package recording

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"sync/atomic"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// MaxLine is the largest length of a line, 256 MiB. Mainnet blocks with receipts
// take about 1 MB.
const MaxLine = 256 << 20

// Item is one line of a recording: exactly one of Block and Document is set.
type Item struct {
	// File is the line's file, "stdin" for standard input.
	File string
	// Line is the line's number in File, from 1, blank lines counted.
	Line int
	// Block is the block on the line with its recorded logs, or nil. Of pending and
	// removed logs only the form was checked.
	Block *evm.Block
	// Proven says that the line proves Block complete: the header's hash is that of
	// its fields, and its receipts root that of the line's receipts.
	Proven bool
	// Numbering is how Block numbers its logs. It is known from the receipts of a
	// block in which two transactions have logs.
	Numbering evm.Numbering
	// Listed says that the line has logs instead of receipts. They may not be all
	// logs of the block; their indices are the node's.
	Listed bool
	// Document is the recorded token document on the line, or nil.
	Document *nft.Document
}

// Recording is a list of recorded files, which [Recording.Items] reads once.
type Recording struct {
	sources []source
	size    int64
	// read counts compressed bytes; the reading goroutine writes it.
	read atomic.Int64
	// regular says that all sources are regular files, whose reads always return.
	regular bool
	maxLine int
}

// Open returns a recording of files, which are opened one after another while they
// are read. The path "-" is stdin, at most once. It fails when a file does not
// exist or is a directory.
func Open(paths []string, stdin io.Reader) (*Recording, error) {
	r := &Recording{regular: true, maxLine: MaxLine}
	stdins := 0
	for _, path := range paths {
		if path == "-" {
			if stdins++; stdins > 1 {
				return nil, fmt.Errorf("opening recording: standard input (-) is given %d times", stdins)
			}
			r.sources = append(r.sources, source{name: "stdin", stdin: stdin})
			r.regular = false
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("opening recording: %w", err)
		}
		if info.IsDir() {
			return nil, fmt.Errorf("opening recording: %s is a directory, want a file", path)
		}
		if !info.Mode().IsRegular() {
			r.regular = false
		}
		r.size += info.Size()
		r.sources = append(r.sources, source{name: path})
	}
	if !r.regular {
		r.size = 0
	}
	return r, nil
}

// Progress returns the bytes read and the size of all files, both compressed as on
// disk. Reading is ahead of the items by what is being parsed. The size is 0 when
// it is unknown, as with standard input. Any goroutine may call Progress.
func (r *Recording) Progress() (read, size int64) { return r.read.Load(), r.size }

// Items yields the lines of the files in order, without blank ones. At the first
// error it yields everything before it, then the error, and stops; the error
// begins with file:line where a line is at fault. When ctx ends, the error is
// ctx's. Items must be called once. Its goroutines end with the loop over it,
// except for a read of standard input or of a named pipe, which ends when its
// input does.
func (r *Recording) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		p := r.start(ctx)
		defer func() {
			stop()
			// Otherwise the reader may wait for input that never comes.
			if r.regular {
				p.reader.Wait()
				_ = p.workers.Wait()
			}
		}()
		for {
			c, err := p.next(ctx)
			if err != nil {
				yield(Item{}, err)
				return
			}
			if c == nil {
				return
			}
			for _, item := range c.items {
				if !yield(item, nil) {
					return
				}
			}
			if c.err != nil {
				yield(Item{}, c.err)
				return
			}
			p.release(c)
		}
	}
}
