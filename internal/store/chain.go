package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// Chain is the state of the data.
type Chain struct {
	// ID is the EIP-155 chain id, or nil until a node has said it.
	ID *uint64
	// Finalized is the last block that the chain calls final, or nil until a node
	// has said it.
	Finalized *evm.Header
	// Indexed and Verified are ranges of blocks, in order.
	Indexed, Verified []Range
	// Head is the last indexed block whose header is stored, or nil when
	// there is none.
	Head *evm.Header
	// Contracts are the collections that alone are indexed; none means all.
	Contracts []evm.Address
	// Unprovable are the blocks that can't be proved, in order.
	Unprovable []Unprovable
	// Gaps are the blocks that were given up and are not indexed since, in order.
	Gaps []evm.Gap
	// Endpoints are the nodes that the follower asks, in its order of
	// preference; none before it has begun.
	Endpoints []Endpoint
}

// Unprovable is a range of blocks that can't be proved, and why.
type Unprovable struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
	Reason    string `json:"reason"`
}

// Chain reads the state of the data.
func (s *Snapshot) Chain(ctx context.Context) (*Chain, error) {
	client := s.client()
	ranges, err := tables.RangesOf(ctx, client, coverage.KindIndexed, coverage.KindVerified)
	if err != nil {
		return nil, err
	}
	c := &Chain{Indexed: ranges[coverage.KindIndexed], Verified: ranges[coverage.KindVerified]}
	err = tables.All(ctx, client, map[string]any{
		tables.ChainID: &c.ID, tables.Finalized: &c.Finalized, tables.Contracts: &c.Contracts, tables.Endpoints: &c.Endpoints,
		tables.Gaps: &c.Gaps, tables.Unprovable: &c.Unprovable,
	})
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

// chain is [Snapshot.Chain] at the time of the call.
func (s *Store) chain(ctx context.Context) (c *Chain, err error) {
	snapshot := s.Snapshot()
	defer snapshot.end(&err)
	return snapshot.Chain(ctx)
}

// Provable reports whether blocks can be proved: what holds for the newest ones of
// which it is known, and nil while it is known of none.
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
