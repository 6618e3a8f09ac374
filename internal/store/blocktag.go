package store

import (
	"context"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/internal/evm"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// findTag replaces the tag of a filter by the number of the block that it names. It returns an
// error with the code BLOCK_NOT_INDEXED if there is no such block.
func (f *Filter) findTag(ctx context.Context, s *read.Snapshot) error {
	number, err := taggedBlock(ctx, s, f.Block.Tag)
	f.Block = &evm.BlockNumberOrHash{Number: number}
	return err
}

// Block returns the header of an indexed block. stored is false, and only the number is set, for an old
// block without records. The errors have the codes BLOCK_NOT_INDEXED, BLOCK_NOT_FOUND and
// BLOCK_NOT_CANONICAL.
func (s *Snapshot) Block(ctx context.Context, block evm.BlockNumberOrHash) (header evm.Header, stored bool, err error) {
	number := block.Number
	switch {
	case block.Hash != nil:
		header.Number, err = read.BlockNumber(ctx, s.Snapshot, *block.Hash)
		number = evm.Long(header.Number)
	case block.Tag != "":
		number, err = taggedBlock(ctx, s.Snapshot, block.Tag)
	}
	if err == nil {
		err = read.RequireRange(ctx, s.Snapshot, &number, &number)
	}
	if err != nil {
		return header, false, err
	}
	return read.Header(ctx, s.Snapshot, uint64(number))
}

func taggedBlock(ctx context.Context, s *read.Snapshot, tag string) (evm.Long, error) {
	switch tag {
	case evm.Latest:
		last, found, err := tables.RangeBelow(ctx, s.Client(), coverage.KindIndexed, tables.MaxBlock)
		if err == nil && !found {
			err = read.AfterAll(ctx, s, "")
		}
		return evm.Long(last.To), err
	case evm.Finalized:
		var finalized evm.Header
		known, err := read.GetSetting(ctx, s, tables.Finalized, &finalized)
		if err == nil && !known {
			err = read.AfterAll(ctx, s, read.NoFinalized)
		}
		return evm.Long(finalized.Number), err
	case evm.Earliest:
		return 0, nil
	default:
		return 0, fmt.Errorf("unknown tag %q", tag)
	}
}

// maxRewound bounds the blocks between a cursor's position and its block.
const maxRewound = 1 << 10

// blockOf returns the block whose list a cursor belongs to, if the filter was a tag when the
// cursor was returned: later the tag names another block. The cursor has the block's number
// only in its fingerprint. Its position is in the block, right before or after it, or after a
// reorg in a block below, the last common one.
func (f *Filter) blockOf(c *cursor.Cursor) evm.Long {
	if len(c.Key) != 8 {
		return 0
	}
	at := tables.BlockOf(cursor.PositionOf(c.Key))
	first := max(at, 1) - 1
	for number := first; number < first+maxRewound; number++ {
		if f.Fingerprint(&number) == c.Fingerprint {
			return evm.Long(number)
		}
	}
	return evm.Long(min(at, tables.MaxBlock))
}
