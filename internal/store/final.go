package store

import "context"

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
	indexed, ok, err := s.around(ctx, from)
	if err != nil || !ok || to > indexed.To {
		return false, err
	}
	var c Chain
	if err := s.settings(ctx, &c); err != nil || c.Finalized == nil {
		return false, err
	}
	return to <= c.Finalized.Number, nil
}
