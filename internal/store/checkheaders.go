package store

import (
	"bytes"
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// restored ends the line of a difference that only a node can decide.
const restored = "; verify --repair restores it"

// checkHeaders checks that each stored block names the stored block below as its
// parent, that no two have the same hash, and that none is missing where all of
// them were stored.
func checkHeaders(ctx context.Context, c *checker) error {
	for from, more := uint64(0), true; more; {
		err := c.read(ctx, func(s *Snapshot) (err error) {
			from, more, err = headersFrom(ctx, c, s, from)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// headersFrom checks a page of headers, and returns the last of them.
func headersFrom(ctx context.Context, c *checker, s *Snapshot, from uint64) (last uint64, more bool, err error) {
	linked, err := validRanges(ctx, s.client(), coverage.KindLinked)
	if err != nil {
		return 0, false, err
	}
	builder := s.db.Builder()
	page := builder.Select(block.FieldID, block.FieldHashPrefix, block.FieldHashSuffix, block.FieldParentHash).From(builder.Table(block.Table)).
		Where(entsql.GTE(block.FieldID, from)).OrderBy(block.FieldID).Limit(checkPage)
	rows, next := int64(0), from
	var before evm.BlockRef
	err = s.db.Query(ctx, page, func(row *database.Row) error {
		ref := evm.BlockRef{Number: uint64(row.Int64())}
		head, tail := row.Int64(), row.Bytes()
		var parent []byte
		if !row.Null() {
			parent = row.Bytes()
		}
		if row.Err() != nil {
			return row.Err()
		}
		missingHeaders(c, linked, next, ref.Number)
		var damaged error
		if ref.Hash, damaged = evm.JoinHash(head, tail); damaged != nil {
			c.differ("block %d: the hash is damaged: %v"+restored, ref.Number, damaged)
		}
		known := rows > 0 && before.Number+1 == ref.Number && !before.Hash.IsZero()
		switch {
		case parent == nil && ref.Number > 0 && len(tables.Common(linked, Range{From: ref.Number, To: ref.Number})) > 0:
			c.differ("block %d: the parent hash is missing"+restored, ref.Number)
		case parent != nil && len(parent) != len(ref.Hash):
			c.differ("block %d: the parent hash has %d bytes, want %d"+restored, ref.Number, len(parent), len(ref.Hash))
		case parent != nil && known && !bytes.Equal(parent, before.Hash[:]):
			c.differ("block %d: the parent hash is 0x%x, but block %d is stored as %s; verify --repair decides which is right", ref.Number, parent, before.Number, before.Hash)
		}
		before, next, rows = ref, ref.Number+1, rows+1
		return nil
	})
	if err != nil {
		return 0, false, fmt.Errorf("reading blocks: %w", err)
	}
	// A page begins with the last block of the one before.
	if more = rows == checkPage; !more {
		missingHeaders(c, linked, next, MaxBlock+1)
	}
	if rows > 0 {
		err = sameHashes(ctx, c, s, Range{From: from, To: before.Number})
	}
	c.compared(rows)
	return before.Number, more, err
}

// missingHeaders reports the blocks from one on and below another, none of which
// has a header, where headers were stored.
func missingHeaders(c *checker, linked []Range, from, below uint64) {
	if from >= below {
		return
	}
	for _, r := range tables.Common(linked, Range{From: from, To: below - 1}) {
		if r.From == r.To {
			c.differ("block %d: the header is missing"+restored, r.From)
		} else {
			c.differ("blocks %d to %d: the headers are missing; verify --repair restores them", r.From, r.To)
		}
	}
}

// sameHashes reports the blocks of a range whose hash a later one has, too.
func sameHashes(ctx context.Context, c *checker, s *Snapshot, r Range) error {
	builder := s.db.Builder()
	one, other := builder.Table(block.Table).As("one"), builder.Table(block.Table).As("other")
	same := builder.Select(one.C(block.FieldID), other.C(block.FieldID)).From(one).
		Join(other).On(one.C(block.FieldHashPrefix), other.C(block.FieldHashPrefix)).
		Where(entsql.And(
			entsql.GTE(one.C(block.FieldID), r.From), entsql.LTE(one.C(block.FieldID), r.To),
			entsql.ColumnsEQ(one.C(block.FieldHashSuffix), other.C(block.FieldHashSuffix)),
			entsql.ColumnsLT(one.C(block.FieldID), other.C(block.FieldID)),
		)).OrderBy(one.C(block.FieldID))
	err := s.db.Query(ctx, same, func(row *database.Row) error {
		a, b := row.Int64(), row.Int64()
		if row.Err() == nil {
			c.differ("blocks %d and %d have the same hash; verify --repair decides which is right", a, b)
		}
		return row.Err()
	})
	return database.Wrap(err, "comparing hashes")
}
