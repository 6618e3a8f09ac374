package state

import (
	"context"
	"slices"
	"time"

	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// State is the state of the data that /metrics and mintburn status show.
type State struct {
	*read.Chain
	// Term is that of the process that follows the chain or writes blocks, or the last one.
	Term tables.Term
	// Nodes are the endpoints whose last report is recent.
	Nodes []read.Endpoint
	// Due is the number of tokens whose document is due, up to mostDue.
	Due int
	// Mints, burns and rejected are 0 if nothing is indexed.
	Mints, Burns, Rejected int64
}

// mostDue is the number of due tokens up to which they are counted.
const mostDue = 100_000

// Of reads the state of the data.
func Of(ctx context.Context, snapshot *read.Snapshot, now time.Time) (s State, err error) {
	if s.Chain, err = snapshot.Chain(ctx); err != nil {
		return s, err
	}
	if s.Term, err = read.LastTerm(ctx, snapshot); err != nil {
		return s, err
	}
	s.Nodes = slices.DeleteFunc(slices.Clone(s.Endpoints), func(e read.Endpoint) bool { return !e.Current(now) })
	if s.Due, err = document.Due(ctx, snapshot, now, mostDue); err != nil || len(s.Indexed) == 0 {
		return s, err
	}
	none := 0
	for kind, total := range map[nft.Kind]*int64{nft.Mint: &s.Mints, nft.Burn: &s.Burns} {
		p, err := store.NewSnapshot(snapshot).Page(store.Filter{Kind: kind, Partial: true}, page.Args{First: &none})
		if err == nil {
			err = p.Read(ctx, nil)
		}
		if err == nil {
			*total, err = p.Total(ctx)
		}
		if err != nil {
			return s, err
		}
	}
	s.Rejected, err = snapshot.Rejected(ctx)
	return s, err
}

// GapBlocks returns the number of blocks that were left out.
func (s *State) GapBlocks() (n float64) {
	for _, g := range s.Gaps {
		n += float64(g.ToBlock-g.FromBlock) + 1
	}
	return n
}
