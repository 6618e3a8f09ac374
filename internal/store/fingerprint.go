package store

import (
	"encoding/binary"

	"mintburn/internal/store/cursor"
)

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
