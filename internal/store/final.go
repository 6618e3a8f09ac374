package store

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/internal/evm"
)

// Final reports whether what a filter selects can not change any more: its
// range is given at both ends, wholly indexed, and final on the chain. Only a
// new generation can change it, see [Snapshot.Generation]. Its errors are those
// of [Snapshot.Page] and [Page.Read] that a filter alone has.
func (s *Snapshot) Final(ctx context.Context, f Filter) (bool, error) {
	if err := f.check(); err != nil {
		return false, err
	}
	var from, to uint64
	switch {
	case f.Block != nil:
		number, err := s.blockNumber(ctx, *f.Block)
		if err != nil {
			return false, err
		}
		from, to = number, number
	case f.FromBlock != nil && f.ToBlock != nil:
		from, to = uint64(*f.FromBlock), uint64(*f.ToBlock)
	default:
		return false, nil
	}
	// A page's range may reach beyond what is indexed, and what is indexed may
	// end below the finalized block.
	indexed, ok, err := s.rangeContaining(ctx, from)
	if err != nil || !ok || to > indexed.To {
		return false, err
	}
	value, err := s.setting(ctx, settingFinalized)
	if err != nil || value == "" {
		return false, err
	}
	var finalized evm.Header
	if err := json.Unmarshal([]byte(value), &finalized); err != nil {
		return false, fmt.Errorf("reading the finalized block: %w", err)
	}
	return to <= finalized.Number, nil
}
