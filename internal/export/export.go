package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
)

// The exportable sets of rows.
const (
	Mints = "mints"
	Burns = "burns"
	// Tokens are the tokens with a record.
	Tokens   = "tokens"
	Metadata = "metadata"
	// Documents are those of collections and tokens, as the lines that an import reads. They
	// have no columns: the only format is NDJSON.
	Documents = "documents"
	Blocks    = "blocks"
	Rejected  = "rejected"
	// Collections are the collections with a record, by their first one.
	Collections = "collections"
)

// The formats.
const (
	NDJSON  = "ndjson"
	CSV     = "csv"
	Parquet = "parquet"
)

// Options select the rows and the format of an export.
type Options struct {
	// Set is the set of rows, Format their format.
	Set, Format string
	// Filter selects mints or burns; Set determines its Kind. Blocks, Rejected and Collections
	// use only its block range and Partial, Metadata and Documents only its address, Tokens only
	// its Address, Addresses and Partial.
	Filter store.Filter
	// After is the cursor after which the export continues, or nil for all rows.
	After *string
	// Names makes a CSV begin with the column names.
	Names bool
}

// Export is one export. All methods but Run are safe for concurrent use.
type Export struct {
	opts  Options
	store *read.DB
	// snapshot is the state that all pages are read from; nil for a new one for each page.
	snapshot *store.Snapshot
	// rows is the number of written rows, total the number of matching rows, 0 if unknown.
	rows, total atomic.Int64
	// cursor is the cursor of the last written row. indexed holds the indexed ranges of its
	// page.
	cursor  *string
	indexed []evm.Range
	// began holds the indexed ranges of the first page, digests those of the last.
	began   []evm.Range
	digests []Digest
}

// New returns an export from a store.
func New(s *read.DB, opts Options) *Export {
	return &Export{opts: opts, store: s, cursor: opts.After}
}

// Rows returns the number of written rows.
func (x *Export) Rows() int64 { return x.rows.Load() }

// Progress returns the number of written rows and the number of all rows, 0 if unknown.
func (x *Export) Progress() (done, size int64) { return x.rows.Load(), x.total.Load() }

// Cursor returns the cursor of the last written row or, if none was written,
// [Options.After]. It must not be called before Run has returned.
func (x *Export) Cursor() *string { return x.cursor }

// Indexed returns the indexed block ranges that the export covers, or nil for Metadata and
// Documents. It must not be called before Run has returned.
func (x *Export) Indexed() []evm.Range { return x.indexed }

// Run writes the rows. It returns the errors of out, and those of [page.AnyPage.Read],
// [listing.Listings.Headers] and [listing.Listings.Documents]. Rows that were read before such
// an error are written.
func (x *Export) Run(ctx context.Context, out io.Writer) (err error) {
	f := x.opts.Filter
	blocks := listing.BlockRange{FromBlock: f.FromBlock, ToBlock: f.ToBlock, Partial: f.Partial}
	limit := x.store.MaxPageSize()
	switch x.opts.Set {
	case Mints, Burns:
		if f.Kind = nft.Mint; x.opts.Set == Burns {
			f.Kind = nft.Burn
		}
		return run(ctx, x, out, transferColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*store.Transfer], error) {
			return x.transfers(ctx, s, f, after)
		})
	case Blocks:
		return run(ctx, x, out, blockColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*evm.Header], error) {
			return listing.Of(s.Snapshot).Headers(ctx, blocks, after, limit)
		})
	case Rejected:
		return run(ctx, x, out, rejectedColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*listing.RejectedLog], error) {
			return listing.Of(s.Snapshot).RejectedLogs(ctx, blocks, after, limit)
		})
	case Tokens:
		// A token changes in place, so that pages of several states would not fit each other.
		x.snapshot = store.NewSnapshot(x.store.Snapshot())
		defer func() { err = errors.Join(err, x.snapshot.Close()) }()
		tokens := listing.TokenFilter{Address: f.Address, Addresses: f.Addresses, Partial: f.Partial}
		return run(ctx, x, out, tokenColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*listing.Token], error) {
			return listing.Of(s.Snapshot).Tokens(ctx, tokens, after, limit)
		})
	case Collections:
		return run(ctx, x, out, collectionColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*listing.Collection], error) {
			return listing.Of(s.Snapshot).Collections(ctx, blocks, after, limit)
		})
	case Metadata:
		return run(ctx, x, out, documentColumns, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*store.TokenMetadata], error) {
			return listing.Of(s.Snapshot).Documents(ctx, f.Address, after, limit)
		})
	case Documents:
		return runTo(ctx, x, &documentWriter{out: out}, func(ctx context.Context, s *store.Snapshot, after *string) (*listing.Rows[*nft.Document], error) {
			return listing.Of(s.Snapshot).Sources(ctx, f.Address, after, limit)
		})
	}
	return fmt.Errorf("internal error: unknown set of rows %q", x.opts.Set)
}

// transfers reads a page of mints or burns. For the first page it also reads their total.
func (x *Export) transfers(ctx context.Context, s *store.Snapshot, f store.Filter, after *string) (*listing.Rows[*store.Transfer], error) {
	size := x.store.MaxPageSize()
	p, err := s.Page(f, page.Args{First: &size, After: after})
	if err != nil {
		return nil, err
	}
	if err := p.Read(ctx, nil); err != nil {
		return nil, err
	}
	if after == nil && x.snapshot == nil {
		total, err := p.Total(ctx)
		if err != nil {
			return nil, err
		}
		x.total.Store(total)
	}
	n := len(p.Items)
	rows := &listing.Rows[*store.Transfer]{Items: make([]*store.Transfer, n), Cursor: after, More: n == size}
	for i := range p.Items {
		rows.Items[i] = &p.Items[i]
	}
	if n > 0 {
		cursor := p.Cursor(n - 1)
		rows.Cursor = &cursor
	}
	rows.Indexed, err = p.Indexed(ctx)
	if err != nil || x.snapshot != nil {
		return rows, err
	}
	if after == nil {
		x.began = rows.Indexed
	}
	if !rows.More {
		err = x.readDigests(ctx, s, rows.Indexed)
	}
	return rows, err
}

// run is [runTo] with a writer of columns.
func run[T any](ctx context.Context, x *Export, out io.Writer, columns []column[T], read func(context.Context, *store.Snapshot, *string) (*listing.Rows[T], error)) error {
	w, err := newWriter(x.opts, out, columns)
	if err != nil {
		return err
	}
	return runTo(ctx, x, w, read)
}

// runTo writes a page of rows while it reads the next one. It reads each page in a separate
// snapshot.
func runTo[T any](ctx context.Context, x *Export, w writer[T], read func(context.Context, *store.Snapshot, *string) (*listing.Rows[T], error)) error {
	pages := make(chan *listing.Rows[T], 1)
	group, reading := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(pages)
		for after, more := x.opts.After, true; more; {
			rows, err := readPage(reading, x, after, read)
			if err != nil {
				return err
			}
			select {
			case pages <- rows:
			case <-reading.Done():
				return reading.Err()
			}
			after, more = rows.Cursor, rows.More
		}
		return nil
	})
	group.Go(func() error {
		// Write the pages that were read before an error, unless ctx has ended.
		for rows := range pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.write(rows.Items); err != nil {
				return fmt.Errorf("writing rows: %w", err)
			}
			x.rows.Add(int64(len(rows.Items)))
			x.cursor, x.indexed = rows.Cursor, rows.Indexed
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if err := w.end(x.cursor); err != nil {
		return fmt.Errorf("writing rows: %w", err)
	}
	return nil
}

// readPage calls read with the snapshot of the export, or with a new one.
func readPage[T any](ctx context.Context, x *Export, after *string, read func(context.Context, *store.Snapshot, *string) (*listing.Rows[T], error)) (rows *listing.Rows[T], err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	snapshot := x.snapshot
	if snapshot == nil {
		snapshot = store.NewSnapshot(x.store.Snapshot())
		defer func() { err = errors.Join(err, snapshot.Close()) }()
	}
	return read(ctx, snapshot, after)
}

// writer writes rows in a format.
type writer[T any] interface {
	// write writes rows.
	write(rows []T) error
	// end completes the output. cursor continues after the last row and may be nil.
	end(cursor *string) error
}

// newWriter returns a writer for a format.
func newWriter[T any](opts Options, out io.Writer, columns []column[T]) (writer[T], error) {
	switch opts.Format {
	case NDJSON:
		return &ndjsonWriter[T]{out: out, columns: columns}, nil
	case CSV:
		return &csvWriter[T]{out: out, columns: columns, names: opts.Names}, nil
	case Parquet:
		return newParquet(out, columns)
	}
	return nil, fmt.Errorf("internal error: unknown format %q", opts.Format)
}
