package check

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/contract"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// recordFault is a set of faults of a record, one bit each.
type recordFault int64

const (
	noContract recordFault = 1 << iota
	noHeader
	noStandard
	noneBefore
	outOfOrder
)

// checkRecords checks that each record has a header and a contract, that the contract has
// the standard of the record, and that the records of a block are numbered in chain order.
func checkRecords(ctx context.Context, c *checker) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		standards, headless := map[int64]int8{}, uint64(0)
		err := c.pages(ctx, (&query.Query{Kind: kind}).Table(), func(s *read.Snapshot, above, last int64) error {
			missing := map[int64]int8{}
			err := s.Tx.Query(ctx, selectFaults(s.Tx.Builder(), kind, above, last), func(row *database.Row) error {
				pos, contractID, log, sub, standard, faults := row.Int64(), row.Int64(), row.Int64(), row.Int64(), int8(row.Int64()), recordFault(row.Int64())
				if row.Err() != nil {
					return row.Err()
				}
				where := fmt.Sprintf("block %d: %s at log %d, sub index %d", tables.BlockOf(pos), kind, log, sub)
				for _, f := range []struct {
					fault recordFault
					line  string
				}{
					{noContract, fmt.Sprintf(": its contract, number %d, is missing", contractID)},
					{noneBefore, ": the one before it is missing"},
					{outOfOrder, ": the one before it comes later in the block"},
				} {
					if faults&f.fault != 0 {
						c.differ("%s", where+f.line+restored)
					}
				}
				if faults&noHeader != 0 && headless != tables.BlockOf(pos)+1 {
					headless = tables.BlockOf(pos) + 1
					c.differ("block %d: it has %ss and no header"+restored, tables.BlockOf(pos), kind)
				}
				if faults&noStandard != 0 {
					missing[contractID] |= standard
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("reading %ss: %w", kind, err)
			}
			for id, unknown := range missing {
				if unknown &^= standards[id]; unknown == 0 {
					continue
				}
				standards[id] |= unknown
				c.differ("collection %s: it has %ss of the standard %s, which is not noted", contractName(ctx, s, id), kind, tables.TypeOf(unknown, false))
			}
			return repairEach(ctx, c, slices.Collect(maps.Keys(missing)), func(ctx context.Context, w *write.Tx, id int64) error {
				row, found, err := tables.Found(w.Client().Contract.Get(ctx, id))
				if err == nil && found {
					err = write.SetStandards(ctx, w, row.Standards|missing[id], row)
				}
				return database.Wrap(err, "storing the standards of contract %d", id)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// selectFaults selects the faulty records of a page: position, contract, log and sub
// index, standard, and faults.
func selectFaults(builder *entsql.DialectBuilder, kind nft.Kind, above, last int64) entsql.Querier {
	table := (&query.Query{Kind: kind}).Table()
	record, before := builder.Table(table).As("record"), builder.Table(table).As("before")
	contracts, headers := builder.Table(contract.Table).As("named"), builder.Table(block.Table).As("header")
	standard := "CASE WHEN " + record.C(mint.FieldOperator) + " IS NULL THEN " + strconv.Itoa(tables.ERC721) + " ELSE " + strconv.Itoa(tables.ERC1155) + " END"
	place := "(" + record.C(mint.FieldID) + " & " + strconv.Itoa(1<<tables.SlotBits-1) + ") > 0"
	later := func(column string, op entsql.Op) string {
		compare := map[entsql.Op]string{entsql.OpGT: " > ", entsql.OpEQ: " = ", entsql.OpGTE: " >= "}
		return before.C(column) + compare[op] + record.C(column)
	}
	faults := []struct {
		fault     recordFault
		condition string
	}{
		{noContract, contracts.C(contract.FieldID) + " IS NULL"},
		{noHeader, headers.C(block.FieldID) + " IS NULL"},
		{noStandard, "(" + contracts.C(contract.FieldStandards) + " & " + standard + ") = 0"},
		{noneBefore, place + " AND " + before.C(mint.FieldID) + " IS NULL"},
		{outOfOrder, place + " AND (" + later(mint.FieldLogIndex, entsql.OpGT) + " OR " + later(mint.FieldLogIndex, entsql.OpEQ) + " AND " + later(mint.FieldSubIndex, entsql.OpGTE) + ")"},
	}
	sum, any := "", ""
	for i, f := range faults {
		if i > 0 {
			sum, any = sum+" + ", any+" OR "
		}
		sum += "CASE WHEN " + f.condition + " THEN " + strconv.Itoa(int(f.fault)) + " ELSE 0 END"
		any += f.condition
	}
	return builder.Select(record.Columns(mint.FieldID, mint.FieldContractID, mint.FieldLogIndex, mint.FieldSubIndex)...).
		AppendSelectExpr(entsql.Raw(standard), entsql.Raw(sum)).From(record).
		LeftJoin(contracts).On(contracts.C(contract.FieldID), record.C(mint.FieldContractID)).
		LeftJoin(headers).OnP(entsql.P(func(b *entsql.Builder) {
		b.WriteString(headers.C(block.FieldID) + " = " + record.C(mint.FieldID) + " >> " + strconv.Itoa(tables.SlotBits))
	})).
		LeftJoin(before).OnP(entsql.P(func(b *entsql.Builder) {
		b.WriteString(before.C(mint.FieldID) + " = " + record.C(mint.FieldID) + " - 1")
	})).
		Where(entsql.And(entsql.GT(record.C(mint.FieldID), above), entsql.LTE(record.C(mint.FieldID), last),
			entsql.P(func(b *entsql.Builder) { b.Wrap(func(b *entsql.Builder) { b.WriteString(any) }) }))).
		OrderBy(record.C(mint.FieldID))
}

// checkHeaders checks that the parent hash of each header is the hash of the stored block
// below, that no two blocks have the same hash, and that no header of a linked range is
// missing.
func checkHeaders(ctx context.Context, c *checker) error {
	for from, more := uint64(0), true; more; {
		err := c.read(ctx, func(s *read.Snapshot) (err error) {
			from, more, err = headersFrom(ctx, c, s, from)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// headersFrom checks a page of headers from a block on, and returns the number of the last.
func headersFrom(ctx context.Context, c *checker, s *read.Snapshot, from uint64) (last uint64, more bool, err error) {
	linked, err := validRanges(ctx, s.Client(), coverage.KindLinked)
	if err != nil {
		return 0, false, err
	}
	builder := s.Tx.Builder()
	page := builder.Select(block.FieldID, block.FieldHashPrefix, block.FieldHashSuffix, block.FieldParentHash).From(builder.Table(block.Table)).
		Where(entsql.GTE(block.FieldID, from)).OrderBy(block.FieldID).Limit(checkPage)
	rows, next := int64(0), from
	var before evm.BlockRef
	err = s.Tx.Query(ctx, page, func(row *database.Row) error {
		ref := evm.BlockRef{Number: uint64(row.Int64())}
		prefix, suffix := row.Int64(), row.Bytes()
		var parent []byte
		if !row.Null() {
			parent = row.Bytes()
		}
		if row.Err() != nil {
			return row.Err()
		}
		missingHeaders(c, linked, next, ref.Number)
		var damaged error
		if ref.Hash, damaged = evm.JoinHash(prefix, suffix); damaged != nil {
			c.differ("block %d: the hash is damaged: %v"+restored, ref.Number, damaged)
		}
		known := rows > 0 && before.Number+1 == ref.Number && !before.Hash.IsZero()
		switch {
		case parent == nil && ref.Number > 0 && len(tables.Common(linked, evm.Range{From: ref.Number, To: ref.Number})) > 0:
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
	// The next page begins with the last block of this one.
	if more = rows == checkPage; !more {
		missingHeaders(c, linked, next, tables.MaxBlock+1)
	}
	if rows > 0 {
		err = sameHashes(ctx, c, s, evm.Range{From: from, To: before.Number})
	}
	c.compared(rows)
	return before.Number, more, err
}

// missingHeaders reports the blocks in [from, below), none of which has a header, that lie
// in a linked range.
func missingHeaders(c *checker, linked []evm.Range, from, below uint64) {
	if from >= below {
		return
	}
	for _, r := range tables.Common(linked, evm.Range{From: from, To: below - 1}) {
		if r.From == r.To {
			c.differ("block %d: the header is missing"+restored, r.From)
		} else {
			c.differ("blocks %d to %d: the headers are missing; verify --repair restores them", r.From, r.To)
		}
	}
}

// sameHashes reports the blocks of a range whose hash a later block has as well.
func sameHashes(ctx context.Context, c *checker, s *read.Snapshot, r evm.Range) error {
	builder := s.Tx.Builder()
	one, other := builder.Table(block.Table).As("one"), builder.Table(block.Table).As("other")
	same := builder.Select(one.C(block.FieldID), other.C(block.FieldID)).From(one).
		Join(other).On(one.C(block.FieldHashPrefix), other.C(block.FieldHashPrefix)).
		Where(entsql.And(
			entsql.GTE(one.C(block.FieldID), r.From), entsql.LTE(one.C(block.FieldID), r.To),
			entsql.ColumnsEQ(one.C(block.FieldHashSuffix), other.C(block.FieldHashSuffix)),
			entsql.ColumnsLT(one.C(block.FieldID), other.C(block.FieldID)),
		)).OrderBy(one.C(block.FieldID))
	err := s.Tx.Query(ctx, same, func(row *database.Row) error {
		a, b := row.Int64(), row.Int64()
		if row.Err() == nil {
			c.differ("blocks %d and %d have the same hash; verify --repair decides which is right", a, b)
		}
		return row.Err()
	})
	return database.Wrap(err, "comparing hashes")
}
