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

// MaxLine is the largest length of a line, 96 MiB, so that a process that refuses a longer one stays
// below 300 MiB, also with the largest window of zstd. Mainnet blocks with receipts take about 1 MB.
const MaxLine = 96 << 20

// Item is one line of a recording, or a block of an archive: exactly one of Block and Document
// is set.
type Item struct {
	// File is the file, "stdin" for standard input.
	File string
	// Line is the line's number in File, from 1, blank lines counted. It is 0 in an archive.
	Line int
	// Block is the block on the line with its recorded logs, or nil. Only the syntax of
	// pending and removed logs was checked.
	Block *evm.Block
	// Proven is true if the line proves Block complete: the header's hash is the hash of
	// its fields, and its receipts root the root of the line's receipts. It is always true in
	// an archive.
	Proven bool
	// Numbering is the log numbering that Block shows. It is unknown unless the line has
	// receipts and two transactions have logs.
	Numbering evm.Numbering
	// Listed is true if the line has logs instead of receipts. The list may be
	// incomplete; the log indices are the node's.
	Listed bool
	// Document is the recorded token document on the line, or nil.
	Document *nft.Document
	// Warning says what is odd about the file that ends with Block, or is empty.
	Warning string
}

// Place returns where the item was read, as file:line, or the file if it is an archive.
func (i *Item) Place() string {
	if i.Line == 0 {
		return i.File
	}
	return fmt.Sprintf("%s:%d", i.File, i.Line)
}

// Recording is a list of recorded files, which can be read once.
type Recording struct {
	// Transactions says that blocks have their transactions with details, where a line has the
	// objects of the transactions and their receipts.
	Transactions bool

	sources []source
	size    int64
	// read counts compressed bytes; the reading goroutine writes it.
	read atomic.Int64
	// regular is true if all sources are regular files, whose reads always return.
	regular bool
	maxLine int
}

// Open returns a recording of files. Items opens them one after another. The path "-",
// at most once, means stdin. Open fails if a file does not exist or is a directory.
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
		s := source{name: path}
		if !info.Mode().IsRegular() {
			r.regular = false
		} else if s.archive, err = isArchive(path); err != nil {
			return nil, fmt.Errorf("opening recording: %w", err)
		}
		r.size += info.Size()
		r.sources = append(r.sources, s)
	}
	if !r.regular {
		r.size = 0
	}
	return r, nil
}

// Progress returns the number of bytes read so far and the size of all files, both as
// compressed on disk. Reading is ahead of the items by the lines being parsed. The size is
// 0 if it is unknown, as with standard input. Any goroutine may call Progress.
func (r *Recording) Progress() (read, size int64) { return r.read.Load(), r.size }

// Items yields the lines of the files in order, without blank ones. It stops at the first
// error, after yielding everything before it. If a line is at fault, the error begins with
// file:line; if ctx ends, it is ctx's error. Items must be called only once. Its
// goroutines end with the loop, except that a read of standard input or of a named pipe
// ends only when its input does.
func (r *Recording) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		p := r.start(ctx)
		defer func() {
			stop()
			// Otherwise the reader may wait forever for input.
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
