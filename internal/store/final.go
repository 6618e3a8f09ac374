package store

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
)

// Final reports whether the records of a filter are final: its range is given at
// both ends, wholly indexed, and final on the chain. Then only a new generation
// changes them, see [Snapshot.Generation]. verified says that they are proved
// complete, too, so that no repair will change them. Its errors are those of
// [Snapshot.Page] and [Page.Read] that a filter alone has.
func (s *Snapshot) Final(ctx context.Context, f Filter) (final, verified bool, err error) {
	if err := f.check(); err != nil {
		return false, false, err
	}
	var from, to uint64
	switch {
	case f.Block != nil:
		number, err := s.blockNumber(ctx, *f.Block)
		if err != nil {
			return false, false, err
		}
		from, to = number, number
	case f.FromBlock != nil && f.ToBlock != nil:
		from, to = uint64(*f.FromBlock), uint64(*f.ToBlock)
	default:
		return false, false, nil
	}
	// A page's range may reach beyond what is indexed, and what is indexed may
	// end below the finalized block.
	indexed, ok, err := s.rangeContaining(ctx, coverage.KindIndexed, from)
	if err != nil || !ok || to > indexed.To {
		return false, false, err
	}
	value, err := s.setting(ctx, settingFinalized)
	if err != nil || value == "" {
		return false, false, err
	}
	var finalized evm.Header
	if err := json.Unmarshal([]byte(value), &finalized); err != nil {
		return false, false, fmt.Errorf("reading the finalized block: %w", err)
	}
	if to > finalized.Number {
		return false, false, nil
	}
	proved, ok, err := s.rangeContaining(ctx, coverage.KindVerified, from)
	return true, ok && to <= proved.To, err
}
