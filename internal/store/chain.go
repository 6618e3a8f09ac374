package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/coverage"
	"mintburn/ent/rejectedlog"
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
	if err := s.settings(ctx, c); err != nil || len(indexed) == 0 {
		return c, err
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

// Rejected returns the number of malformed logs that were set aside.
func (s *Snapshot) Rejected(ctx context.Context) (n int64, err error) {
	if _, err = s.row(ctx, s.builder().Select(entsql.Count("*")).From(s.builder().Table(rejectedlog.Table)), &n); err != nil {
		return 0, fmt.Errorf("counting rejected logs: %w", err)
	}
	return n, nil
}
