package command

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

// state is the state of the data that /metrics and mintburn status show.
type state struct {
	*read.Chain
	// term is that of the process that follows the chain or writes blocks, or the last one.
	term tables.Term
	// nodes are the endpoints whose last report is recent.
	nodes []read.Endpoint
	// due is the number of tokens whose document is due, up to mostDue.
	due int
	// mints, burns and rejected are 0 if nothing is indexed.
	mints, burns, rejected int64
}

// mostDue is the number of due tokens up to which they are counted.
const mostDue = 100_000

// stateOf reads the state of the data.
func stateOf(ctx context.Context, snapshot *read.Snapshot, now time.Time) (s state, err error) {
	if s.Chain, err = snapshot.Chain(ctx); err != nil {
		return s, err
	}
	if s.term, err = read.LastTerm(ctx, snapshot); err != nil {
		return s, err
	}
	s.nodes = slices.DeleteFunc(slices.Clone(s.Endpoints), func(e read.Endpoint) bool { return !e.Current(now) })
	if s.due, err = document.Due(ctx, snapshot, now, mostDue); err != nil || len(s.Indexed) == 0 {
		return s, err
	}
	none := 0
	for kind, total := range map[nft.Kind]*int64{nft.Mint: &s.mints, nft.Burn: &s.burns} {
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
	s.rejected, err = snapshot.Rejected(ctx)
	return s, err
}

// gapBlocks returns the number of blocks that were left out.
func (s *state) gapBlocks() (n float64) {
	for _, g := range s.Gaps {
		n += float64(g.ToBlock-g.FromBlock) + 1
	}
	return n
}
