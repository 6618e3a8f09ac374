package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Chain is the state of the data.
type Chain struct {
	// ID is the EIP-155 chain id, or nil until a node has reported it.
	ID *uint64
	// Finalized is the chain's finalized block, or nil until a node has reported it.
	Finalized *evm.Header
	// Indexed and Verified are ranges of blocks, in order.
	Indexed, Verified []Range
	// Head is the last indexed block whose header is stored, or nil when
	// there is none.
	Head *evm.Header
	// Contracts are the only indexed collections; none means all.
	Contracts []evm.Address
	// Unprovable are the blocks that can't be proved, in order.
	Unprovable []Unprovable
	// Gaps are the blocks that were given up and are still not indexed, in order.
	Gaps []evm.Gap
	// Endpoints are the follower's nodes, in its order of preference; none before it
	// has started.
	Endpoints []Endpoint
}

// Unprovable is a range of blocks that can't be proved, and why.
type Unprovable struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
	Reason    string `json:"reason"`
}

// Chain returns the state of the data. It returns a [*SchemaError] if the schema has become
// too new for this program.
func (s *Snapshot) Chain(ctx context.Context) (*Chain, error) {
	c, compatible := &Chain{}, json.RawMessage{}
	err := s.db.Together(ctx, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			ranges, err := tables.RangesOf(ctx, s.client(), coverage.KindIndexed, coverage.KindVerified)
			c.Indexed, c.Verified = ranges[coverage.KindIndexed], ranges[coverage.KindVerified]
			return err
		}
		return tables.All(ctx, s.client(), map[string]any{
			tables.ChainID: &c.ID, tables.Finalized: &c.Finalized, tables.Contracts: &c.Contracts, tables.Endpoints: &c.Endpoints,
			tables.Gaps: &c.Gaps, tables.Unprovable: &c.Unprovable, tables.CompatibleFrom: &compatible,
		})
	})
	if err == nil {
		err = tables.CheckCompatible(string(compatible), s.store.schema.Known)
	}
	if err != nil {
		return nil, err
	}
	if c.Gaps = openGaps(c.Gaps, c.Indexed); len(c.Indexed) == 0 {
		return c, nil
	}
	h, found, err := header(ctx, s, c.Indexed[len(c.Indexed)-1].To)
	if found {
		c.Head = &h
	}
	return c, err
}

// Following reports whether a process holds the lease and has renewed it in time.
func Following(ctx context.Context, s *Snapshot) (bool, error) {
	term, err := tables.ReadTerm(ctx, s.db, s.store.db.Clock(), false)
	return term.Live, err
}

// chain is [Snapshot.Chain] with a new snapshot.
func (s *Store) chain(ctx context.Context) (c *Chain, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return snapshot.Chain(ctx)
}

// Provable reports whether the newest blocks that were proved, or found unprovable, can be
// proved. It returns nil if there are no such blocks.
func (c *Chain) Provable() *bool {
	var proved, not uint64
	for _, r := range c.Verified {
		proved = r.To
	}
	for _, u := range c.Unprovable {
		not = max(not, u.ToBlock)
	}
	if len(c.Verified)+len(c.Unprovable) == 0 {
		return nil
	}
	provable := len(c.Unprovable) == 0 || len(c.Verified) > 0 && proved > not
	return &provable
}

// Rejected returns the number of rejected logs.
func (s *Snapshot) Rejected(ctx context.Context) (int64, error) {
	count, err := s.client().RejectedLog.Query().Count(ctx)
	return int64(count), database.Wrap(err, "counting rejected logs")
}

// Tip returns the last block of the indexed range that contains from, and the number of its
// first block. If a gap, see [Store.SetGap], contains from or follows the range, Tip
// continues with the range after the gap. If there is none, it returns false, and first is
// the block to begin with: from, or the block after the last gap.
func (s *Store) Tip(ctx context.Context, from uint64) (tip evm.Header, first uint64, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	indexed, gaps, err := indexedAndGaps(ctx, snapshot)
	if err != nil {
		return tip, 0, false, err
	}
	next, r := from, Range{}
	for {
		i := slices.IndexFunc(indexed, func(r Range) bool { return r.From <= next && next <= r.To })
		if found = i >= 0; found {
			r, next = indexed[i], indexed[i].To+1
		}
		before := next
		for _, g := range gaps {
			if g.FromBlock <= next && next <= g.ToBlock {
				next = g.ToBlock + 1
			}
		}
		if next == before {
			break
		}
	}
	if !found {
		return tip, next, false, nil
	}
	tip, stored, err := header(ctx, snapshot, r.To)
	if err == nil && !stored {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return tip, r.From, err == nil, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (h evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return header(ctx, snapshot, number)
}

// Indexed returns the indexed ranges of blocks, in order.
func (s *Store) Indexed(ctx context.Context) (indexed []evm.Range, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return tables.Ranges(ctx, snapshot.client(), coverage.KindIndexed)
}

// Gaps returns the blocks that were given up and are still not indexed, in order.
func (s *Store) Gaps(ctx context.Context) (gaps []evm.Gap, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	_, gaps, err = indexedAndGaps(ctx, snapshot)
	return gaps, err
}

// SetGap stores a range of blocks as given up, or the result of another attempt at it. It
// replaces the parts of other gaps that it overlaps.
func (s *Store) SetGap(ctx context.Context, gap evm.Gap) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		var all []evm.Gap
		if _, err := tables.Get(ctx, w.client, tables.Gaps, &all); err != nil {
			return err
		}
		indexed, err := tables.Ranges(ctx, w.client, coverage.KindIndexed)
		if err != nil {
			return err
		}
		open := append(openGaps(openGaps(all, []Range{gap.Range()}), indexed), openGaps([]evm.Gap{gap}, indexed)...)
		slices.SortFunc(open, func(a, b evm.Gap) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return tables.Set(ctx, w.client, tables.Gaps, open)
	})
}

// indexedAndGaps returns the indexed ranges and the open gaps.
func indexedAndGaps(ctx context.Context, s *Snapshot) (indexed []Range, open []evm.Gap, err error) {
	if indexed, err = tables.Ranges(ctx, s.client(), coverage.KindIndexed); err != nil {
		return nil, nil, err
	}
	_, err = getSetting(ctx, s, tables.Gaps, &open)
	return indexed, openGaps(open, indexed), err
}

// openGaps returns the parts of gaps outside of ranges, which must be in order.
func openGaps(all []evm.Gap, indexed []Range) (open []evm.Gap) {
	for _, g := range all {
		for _, left := range tables.Missing(indexed, g.Range()) {
			g.FromBlock, g.ToBlock = left.From, left.To
			open = append(open, g)
		}
	}
	return open
}
