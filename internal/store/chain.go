package store

import (
	"context"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Chain is the state of the data.
type Chain struct {
	// Indexed and Verified are ranges of blocks, in order.
	Indexed, Verified []Range
	// Head is the last indexed block whose header is stored, or nil when
	// there is none.
	Head *evm.Header
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
	if len(indexed) == 0 {
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
