package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// recordFault is what may be wrong with a record: one bit each.
type recordFault int64

const (
	noContract recordFault = 1 << iota
	noHeader
	noStandard
	noneBefore
	outOfOrder
	damagedRecord
)

// checkRecords checks that each record has a contract, which has the standard of the
// record, and a header; and that the records of a block are numbered in the order
// of the chain.
func checkRecords(ctx context.Context, c *checker) error {
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		standards, headless := map[int64]int8{}, uint64(0)
		err := c.pages(ctx, (&query{kind: kind}).table(), func(s *Snapshot, above, last int64) error {
			missing := map[int64]int8{}
			err := s.db.Query(ctx, selectFaults(s.db.Builder(), kind, above, last), func(row *database.Row) error {
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
					{damagedRecord, ": the row is damaged"},
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
			for id, shapes := range missing {
				if shapes &^= standards[id]; shapes == 0 {
					continue
				}
				standards[id] |= shapes
				c.differ("collection %s: it has %ss of the standard %s, which is not noted", contractName(ctx, s, id), kind, tables.TypeOf(shapes, false))
			}
			return repairEach(ctx, c, slices.Collect(maps.Keys(missing)), func(ctx context.Context, w *writer, id int64) error {
				row, found, err := tables.Found(w.client.Contract.Get(ctx, id))
				if err == nil && found {
					err = w.client.Contract.UpdateOne(row).SetStandards(row.Standards | missing[id]).Exec(ctx)
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

// selectFaults selects those of a page of records with which anything is wrong:
// position, contract, log and sub index, standard, and the faults.
func selectFaults(builder *entsql.DialectBuilder, kind nft.Kind, above, last int64) entsql.Querier {
	table := (&query{kind: kind}).table()
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
		{damagedRecord, "octet_length(" + record.C(mint.FieldAccountSuffix) + ") <> 12 OR octet_length(" + record.C(mint.FieldTxSuffix) + ") <> 24"},
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
