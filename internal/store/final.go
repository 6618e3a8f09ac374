package store

import "context"

// Final reports whether what a filter selects can not change any more: its
// range is given at both ends, indexed, and final on the chain.
func (s *Snapshot) Final(ctx context.Context, f Filter) (bool, error) {
	if err := f.check(); err != nil {
		return false, err
	}
	var to uint64
	switch {
	case f.Block != nil:
		number, err := s.blockNumber(ctx, *f.Block)
		if err != nil {
			return false, err
		}
		to = number
	case f.FromBlock != nil && f.ToBlock != nil:
		if err := s.requireRange(ctx, f.FromBlock, f.ToBlock); err != nil {
			return false, err
		}
		to = uint64(*f.ToBlock)
	default:
		return false, nil
	}
	var c Chain
	if err := s.settings(ctx, &c); err != nil || c.Finalized == nil {
		return false, err
	}
	return to <= c.Finalized.Number, nil
}
