package store

import (
	"context"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Chain is the state of the data.
type Chain struct {
	// ID is the EIP-155 chain id, or nil while no node has told it.
	ID *uint64
	// Finalized is the last block that the chain calls final, or nil while no
	// node has told it.
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

// Chain reads the state of the data.
func (s *Snapshot) Chain(ctx context.Context) (*Chain, error) {
	indexed, err := s.covered(ctx)
	if err != nil {
		return nil, err
	}
	verified, err := s.ranges(ctx, coverage.KindVerified)
	if err != nil {
		return nil, err
	}
	c := &Chain{Indexed: indexed, Verified: verified}
	if err := s.settings(ctx, c); err != nil {
		return nil, err
	}
	if c.Gaps = openGaps(c.Gaps, indexed); len(indexed) == 0 {
		return c, nil
	}
	header, found, err := s.header(ctx, indexed[len(indexed)-1].To)
	if err != nil {
		return nil, err
	}
	if found {
		c.Head = &header
	}
	return c, nil
}

// Rejected returns the number of rejected logs.
func (s *Snapshot) Rejected(ctx context.Context) (n int64, err error) {
	count, err := s.client().RejectedLog.Query().Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("counting rejected logs: %w", err)
	}
	return int64(count), nil
}
