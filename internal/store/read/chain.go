package read

import (
	"context"
	"encoding/json"

	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Chain is the state of the data.
type Chain struct {
	// ID is the EIP-155 chain id, or nil until a node has reported it.
	ID *uint64
	// Finalized is the chain's finalized block, or nil until a node has reported it.
	Finalized *evm.Header
	// Indexed and Verified are ranges of blocks, in order.
	Indexed, Verified []evm.Range
	// Head is the last indexed block whose header is stored, or nil when
	// there is none.
	Head *evm.Header
	// Decoding are the options that the blocks are decoded with; its RangeCap is 0 until blocks are stored.
	Decoding nft.Decoding
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
	err := s.Tx.Together(ctx, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			ranges, err := tables.RangesOf(ctx, s.Client(), coverage.KindIndexed, coverage.KindVerified)
			c.Indexed, c.Verified = ranges[coverage.KindIndexed], ranges[coverage.KindVerified]
			return err
		}
		return tables.All(ctx, s.Client(), map[string]any{
			tables.ChainID: &c.ID, tables.Finalized: &c.Finalized, tables.Contracts: &c.Contracts, tables.Endpoints: &c.Endpoints,
			tables.Gaps: &c.Gaps, tables.Unprovable: &c.Unprovable, tables.CompatibleFrom: &compatible, tables.Decoding: &c.Decoding,
		})
	})
	if err == nil {
		err = tables.CheckCompatible(string(compatible), s.DB.Schema().Known)
	}
	if err != nil {
		return nil, err
	}
	if c.Gaps = OpenGaps(c.Gaps, c.Indexed); len(c.Indexed) == 0 {
		return c, nil
	}
	h, found, err := Header(ctx, s, c.Indexed[len(c.Indexed)-1].To)
	if found {
		c.Head = &h
	}
	return c, err
}

// Following reports whether a process holds the lease and has renewed it in time.
func Following(ctx context.Context, s *Snapshot) (bool, error) {
	term, err := LastTerm(ctx, s)
	return term.Live, err
}

// LastTerm returns the current term of the lease, or the last one.
func LastTerm(ctx context.Context, s *Snapshot) (tables.Term, error) {
	return tables.ReadTerm(ctx, s.Tx, s.DB.Database.Clock(), false)
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
	count, err := s.Client().RejectedLog.Query().Count(ctx)
	return int64(count), database.Wrap(err, "counting rejected logs")
}

// IndexedAndGaps returns the indexed ranges and the open gaps.
func IndexedAndGaps(ctx context.Context, s *Snapshot) (indexed []evm.Range, open []evm.Gap, err error) {
	if indexed, err = s.Indexed(ctx); err != nil {
		return nil, nil, err
	}
	_, err = GetSetting(ctx, s, tables.Gaps, &open)
	return indexed, OpenGaps(open, indexed), err
}

// OpenGaps returns the parts of gaps outside of ranges, which must be in order.
func OpenGaps(all []evm.Gap, indexed []evm.Range) (open []evm.Gap) {
	for _, g := range all {
		for _, left := range tables.Missing(indexed, g.Range()) {
			g.FromBlock, g.ToBlock = left.From, left.To
			open = append(open, g)
		}
	}
	return open
}
