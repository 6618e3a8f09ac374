package store

import (
	"encoding/binary"

	"mintburn/internal/apierror"
	"mintburn/internal/store/cursor"
)

// Check returns an error for invalid values, and for combinations without an index.
func (f *Filter) Check() error {
	ranged, accepted := isAccepted[f.selectors()]
	switch {
	case !accepted, f.ranged() && !ranged:
		got := f.selectors().String()
		if f.ranged() {
			got += " with a range"
		}
		return apierror.Errorf(apierror.BadUserInput, "filters: got %s, want %s", got, acceptedFilters)
	case f.FromBlock != nil && f.ToBlock != nil && *f.FromBlock > *f.ToBlock:
		return apierror.Errorf(apierror.BadUserInput, "fromBlock: got %d, want at most toBlock, which is %d", *f.FromBlock, *f.ToBlock)
	case f.FromTime != nil && f.ToTime != nil && *f.FromTime > *f.ToTime:
		return apierror.Errorf(apierror.BadUserInput, "fromTime: got %d, want at most toTime, which is %d", *f.FromTime, *f.ToTime)
	case f.Finality != "" && f.Finality != Latest && f.Finality != Finalized:
		return apierror.Errorf(apierror.BadUserInput, "unknown finality: want LATEST or FINALIZED")
	case f.Order != "" && f.Order != Asc && f.Order != Desc:
		return apierror.Errorf(apierror.BadUserInput, "unknown order: want ASC or DESC")
	}
	if n := f.size(); n > apierror.MaxValues {
		return apierror.TooManyValues((f.selectors() & argLists).String(), n)
	}
	return nil
}

// Fingerprint identifies the filter and order within a cursor. A block is passed by
// number, so that the cursors of a block's number and of its hash are the same.
func (f *Filter) Fingerprint(block *uint64) uint64 {
	// One buffer, because each slice passed to the hash is allocated. Few filters need more.
	b := make([]byte, 0, 80)
	mark := func(tag byte) { b = append(b, tag, 0) }
	number := func(tag byte, n uint64) { b = binary.BigEndian.AppendUint64(append(b, tag, 8), n) }
	number('k', uint64(f.Kind))
	if f.Order == Desc {
		mark('d')
	}
	if block != nil {
		number('b', *block)
	}
	b = f.identify(b, ^argLists)
	if f.FromBlock != nil {
		number('f', uint64(*f.FromBlock))
	}
	if f.ToBlock != nil {
		number('u', uint64(*f.ToBlock))
	}
	if f.FromTime != nil {
		number('F', uint64(*f.FromTime))
	}
	if f.ToTime != nil {
		number('U', uint64(*f.ToTime))
	}
	if f.Finality == Finalized {
		// Without the finalized block, so that cursors stay valid as it advances.
		mark('z')
	}
	return cursor.Fingerprint(f.identify(b, argLists))
}
