package store

import (
	"context"
	"database/sql"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/orphanedblock"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// blockNumber returns the height of an indexed block of the canonical chain.
// Its errors have the codes BLOCK_NOT_INDEXED, BLOCK_NOT_FOUND and
// BLOCK_NOT_CANONICAL.
func (s *Snapshot) blockNumber(ctx context.Context, name evm.BlockNumberOrHash) (uint64, error) {
	if name.Hash == nil {
		number := uint64(name.Number)
		return number, s.requireRange(ctx, &name.Number, &name.Number)
	}
	head, tail := name.Hash.Head(), name.Hash.Tail()
	var number int64
	found, err := s.fixed(ctx, "number", func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(block.Table)
		return b.Select(t.C(block.FieldID)).From(t).
			Where(entsql.And(entsql.EQ(t.C(block.FieldHashHead), head), entsql.EQ(t.C(block.FieldHashTail), tail)))
	}, []any{head, tail}, &number)
	if err != nil {
		return 0, fmt.Errorf("looking up block %s: %w", name, err)
	}
	if found {
		return uint64(number), nil
	}
	orphan, found, err := s.orphan(ctx, entsql.EQ(orphanedblock.FieldHash, *name.Hash))
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, nft.Errorf(nft.BlockNotFound, "no indexed block has the hash %s", name)
	}
	gone := nft.Errorf(nft.BlockNotCanonical, "block %s at height %d was reorganised away", name, orphan.Number)
	gone.Details = map[string]any{"blockNumber": orphan.Number, "canonicalHash": nil}
	header, found, err := s.header(ctx, orphan.Number)
	if err != nil {
		return 0, err
	}
	if found {
		gone.Details["canonicalHash"] = header.Hash.String()
		gone.Message += fmt.Sprintf(": the canonical block there is %s", header.Hash)
	}
	return 0, gone
}

// header returns the stored canonical header at a height.
func (s *Snapshot) header(ctx context.Context, number uint64) (evm.Header, bool, error) {
	header := evm.Header{BlockRef: evm.BlockRef{Number: number}}
	var head int64
	var tail []byte
	var parent sql.Null[evm.Hash]
	found, err := s.fixed(ctx, "header", func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(block.Table)
		return b.Select(t.Columns(block.FieldHashHead, block.FieldHashTail, block.FieldParentHash, block.FieldTime)...).
			From(t).Where(entsql.EQ(t.C(block.FieldID), number))
	}, []any{number}, &head, &tail, &parent, &header.Time)
	header.ParentHash = parent.V
	if err == nil && found {
		header.Hash, err = evm.JoinHash(head, tail)
	}
	if err != nil {
		return header, false, fmt.Errorf("reading block %d: %w", number, err)
	}
	return header, found, nil
}

// orphan returns the first remembered header of a withdrawn block for which
// the predicate holds.
func (s *Snapshot) orphan(ctx context.Context, where *entsql.Predicate) (evm.Header, bool, error) {
	t := s.builder().Table(orphanedblock.Table)
	statement := s.builder().Select(t.Columns(orphanedblock.FieldNumber, orphanedblock.FieldHash, orphanedblock.FieldParentHash)...).
		From(t).Where(where).Limit(1)
	var header evm.Header
	found, err := s.row(ctx, statement, &header.Number, &header.Hash, &header.ParentHash)
	if err != nil {
		return header, false, fmt.Errorf("looking up a withdrawn block: %w", err)
	}
	return header, found, nil
}

// cursorPosition returns the position that a cursor names, if its block
// is still canonical. Its errors have the codes INVALID_CURSOR and
// CURSOR_REORGED.
func (s *Snapshot) cursorPosition(ctx context.Context, c *cursor) (int64, error) {
	if len(c.key) != 8 {
		return 0, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	pos := keyPosition(c.key)
	if !c.anchored {
		return pos, nil
	}
	number := blockOf(pos)
	header, found, err := s.header(ctx, number)
	if err != nil || found && anchorOf(header.Hash.Head()) == c.anchor {
		return pos, err
	}
	ancestor, known, err := s.commonAncestor(ctx, number, c.anchor)
	if err != nil {
		return 0, err
	}
	if !known {
		return 0, nft.Errorf(nft.InvalidCursor, "the cursor's block at height %d is not known here: start again without a cursor", number)
	}
	// The ancestor's last position holds no record: the walk continues right
	// after the ancestor's records, or with the last of them, in either
	// direction.
	rewound := *c
	rewound.anchor = anchorOf(ancestor.Hash.Head())
	rewound.key = positionKey(lastIn(ancestor.Number))
	reorged := nft.Errorf(nft.CursorReorged, "the cursor's block at height %d was reorganised away: drop the records from block %d on and continue from rewindCursor", number, ancestor.Number+1)
	reorged.Details = map[string]any{"rewindCursor": rewound.String(), "retractedFromBlock": ancestor.Number + 1}
	return 0, reorged
}

// commonAncestor walks from a withdrawn block to the last block of its branch
// that is still canonical. It reports false when the branch is not remembered.
func (s *Snapshot) commonAncestor(ctx context.Context, number uint64, anchor uint32) (evm.Header, bool, error) {
	t := s.builder().Table(orphanedblock.Table)
	statement := s.builder().Select(t.Columns(orphanedblock.FieldHash, orphanedblock.FieldParentHash)...).
		From(t).Where(entsql.EQ(t.C(orphanedblock.FieldNumber), number))
	var parent *evm.Hash
	err := s.query(ctx, statement, func(rows *rowReader) error {
		var hash, before evm.Hash
		if err := rows.Scan(&hash, &before); err != nil {
			return err
		}
		if anchorOf(hash.Head()) == anchor {
			parent = &before
		}
		return nil
	})
	if err != nil {
		return evm.Header{}, false, fmt.Errorf("looking up withdrawn blocks at %d: %w", number, err)
	}
	for parent != nil && number > 0 {
		number--
		header, found, err := s.header(ctx, number)
		if err != nil || found && header.Hash == *parent {
			return header, found, err
		}
		orphan, found, err := s.orphan(ctx, entsql.EQ(orphanedblock.FieldHash, *parent))
		if err != nil || !found {
			return evm.Header{}, false, err
		}
		parent = &orphan.ParentHash
	}
	return evm.Header{}, false, nil
}
