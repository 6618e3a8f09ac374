package compare

import (
	"cmp"
	"context"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Record is a mint or burn.
type Record struct {
	// Block, Log and Sub are its block, its log index and its sub index: its place in the chain.
	Block uint64 `json:"block_number"`
	Log   uint64 `json:"log_index"`
	Sub   uint64 `json:"sub_index"`
	// Line is its line in an export as NDJSON, without id.
	Line string `json:"-"`
}

// reader reads the records of an index one after the other.
type reader struct {
	index Index
	kind  nft.Kind
	r     evm.Range
	items []Record
	after *string
	ended bool
}

// next returns the next record, nil after the last, again until it is taken.
func (x *reader) next(ctx context.Context) (*Record, error) {
	for len(x.items) == 0 && !x.ended {
		var err error
		if x.items, x.after, err = x.index.Page(ctx, x.kind, x.r, x.after); err != nil {
			return nil, err
		}
		x.ended = x.after == nil || len(x.items) == 0
	}
	if len(x.items) == 0 {
		return nil, nil
	}
	return &x.items[0], nil
}

// take takes the next record.
func (x *reader) take() *Record {
	r := &x.items[0]
	x.items = x.items[1:]
	return r
}

// records compares the records of the blocks before end.
func (c *comparison) records(ctx context.Context, from, end uint64, kinds ...nft.Kind) (err error) {
	for i := 0; i < len(kinds) && from < end && err == nil; i++ {
		of := func(x Index) *reader { return &reader{index: x, kind: kinds[i], r: evm.Range{From: from, To: end - 1}} }
		err = c.merge(ctx, of(c.db), of(c.other))
	}
	return err
}

// merge prints the records that one reader has alone.
func (c *comparison) merge(ctx context.Context, a, b *reader) error {
	for {
		ours, err := a.next(ctx)
		if err != nil {
			return err
		}
		theirs, err := b.next(ctx)
		if err != nil {
			return err
		}
		at := order(ours, theirs)
		if at == 0 && ours == nil {
			return nil
		}
		if at == 0 && ours.Line == theirs.Line {
			a.take()
			b.take()
			continue
		}
		if at <= 0 {
			err = c.differ(a.kind, a.take(), "- ")
		}
		if at >= 0 && err == nil {
			err = c.differ(b.kind, b.take(), "+ ")
		}
		if err != nil {
			return err
		}
	}
}

// order compares the places of two records. nil is after all others.
func order(a, b *Record) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Log, b.Log), cmp.Compare(a.Sub, b.Sub))
}

// differ prints a record that one index has alone.
func (c *comparison) differ(kind nft.Kind, r *Record, sign string) error {
	if !c.blocks[r.Block] && len(c.blocks) == c.limit {
		return fmt.Errorf("more than %d blocks differ: --limit prints more", c.limit)
	}
	c.blocks[r.Block] = true
	if header := fmt.Sprintf("block %d: %ss differ\n", r.Block, kind); header != c.header {
		c.header = header
		fmt.Fprint(c.out, header)
	}
	_, err := fmt.Fprint(c.out, sign, r.Line, "\n")
	return err
}
