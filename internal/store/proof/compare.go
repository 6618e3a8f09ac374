package proof

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/coverage"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/transaction"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Differences compares an indexed block with its stored rows. It returns one line for each
// difference, with the record and the documented field, in the order header, mints, burns,
// rejected logs. It also returns the hash of the stored header, zero if none is stored.
//
// A header counts as missing if the block has records or lies in a linked range, a parent
// hash if the block lies in a linked range. Otherwise it was never fetched.
func (p Proofs) Differences(ctx context.Context, want nft.Block) (differences []string, stored evm.Hash, err error) {
	snapshot := p.store.Snapshot()
	defer snapshot.End(&err)
	c := comparison{numbers: map[evm.Address]int64{}}
	got, found, err := StoredBlock(ctx, snapshot, want.Header.Number, c.add)
	if err != nil {
		return nil, stored, err
	}
	_, linked, err := read.RangeContaining(ctx, snapshot, coverage.KindLinked, want.Header.Number)
	switch {
	case err != nil:
		return nil, stored, err
	case found:
		c.header(&got.Header, &want.Header, linked && want.Header.Number > 0)
	case linked, len(got.Mints)+len(got.Burns)+len(got.Rejected) > 0, len(want.Mints)+len(want.Burns)+len(want.Rejected) > 0:
		c.add("the header is missing")
	}
	c.records(got.Mints, want.Mints)
	c.records(got.Burns, want.Burns)
	c.rejected(got.Rejected, want.Rejected)
	err = p.transactions(ctx, snapshot, &c, &want)
	return c.differences, got.Header.Hash, err
}

// transactions compares the details of transactions. Without p.Transactions, those that are not
// stored were never fetched.
func (p Proofs) transactions(ctx context.Context, s *read.Snapshot, c *comparison, want *nft.Block) error {
	stored, number := map[int64]*ent.Transaction{}, want.Header.Number
	err := tables.EachRow(ctx, s.Tx, transaction.Table, transaction.Columns, tables.FirstIn(number), tables.LastIn(number), func(values *database.Row) {
		row := new(ent.Transaction)
		err := row.ReadRow(values)
		if stored[row.ID] = row; err != nil {
			stored[row.ID] = nil
			c.add("transaction %d is damaged: %v", row.ID&(1<<tables.SlotBits-1), err)
		}
	})
	for i := range want.Transactions {
		tx := tables.TransactionRow(number, &want.Transactions[i])
		row, found := stored[tx.ID]
		if !found && p.Transactions {
			c.add("the details of transaction %s are missing", want.Transactions[i].Hash)
		}
		if row != nil {
			if columns := row.Diff(tx); len(columns) > 0 {
				c.add("transaction %s: %v differ", want.Transactions[i].Hash, columns)
			}
		}
	}
	return err
}

// StoredBlock returns the stored records and rejected logs of a block and, if found, its
// header. It calls add for each row that cannot be read.
func StoredBlock(ctx context.Context, s *read.Snapshot, number uint64, add func(format string, args ...any)) (b nft.Block, found bool, err error) {
	b.Header.Number = number
	err = tables.EachRow(ctx, s.Tx, block.Table, block.Columns, int64(number), int64(number), func(values *database.Row) {
		var row ent.Block
		damaged := row.ReadRow(values)
		if damaged == nil {
			b.Header, damaged = tables.HeaderOf(&row)
		}
		if found = damaged == nil; !found {
			b.Header = evm.Header{BlockRef: evm.BlockRef{Number: number}}
			add("the header is damaged: %v", damaged)
		}
	})
	if err != nil {
		return b, false, err
	}
	if b.Mints, err = recordsOf(ctx, s, nft.Mint, number, add); err != nil {
		return b, false, err
	}
	if b.Burns, err = recordsOf(ctx, s, nft.Burn, number, add); err != nil {
		return b, false, err
	}
	err = tables.EachRow(ctx, s.Tx, rejectedlog.Table, rejectedlog.Columns, tables.FirstIn(number), tables.LastIn(number), func(values *database.Row) {
		var row ent.RejectedLog
		err := row.ReadRow(values)
		if err == nil {
			err = tables.CheckTopics(row.Topics)
		}
		if err != nil {
			add("rejected log %d is damaged: %v", row.ID&(1<<tables.SlotBits-1), err)
			return
		}
		log := evm.Log{Address: row.Address, TxHash: row.TxHash, Data: bytes.Clone(row.Data), Index: uint32(row.ID & (1<<tables.SlotBits - 1))}
		for topic := range slices.Chunk(row.Topics, len(evm.Hash{})) {
			log.Topics = append(log.Topics, evm.Hash(topic))
		}
		b.Rejected = append(b.Rejected, nft.Rejected{Log: log, Reason: row.Reason})
	})
	if err != nil {
		return b, false, err
	}
	return b, found, nil
}

// recordsOf returns the records of a block, with or without a header. It calls add for each
// record that cannot be read.
func recordsOf(ctx context.Context, s *read.Snapshot, kind nft.Kind, number uint64, add func(format string, args ...any)) ([]nft.Record, error) {
	q := &query.Query{Kind: kind}
	of := query.Selection{Lo: tables.FirstIn(number), Hi: tables.LastIn(number), Limit: nft.MaxBlockRecords}
	text := s.DB.Statement(q.Key("records of a block", of), func(client *ent.Client) entsql.Querier { return q.Selector(client, of) })
	row := tables.RecordRow{Kind: kind}
	var records []nft.Record
	var contracts []int64
	err := s.Tx.Run(ctx, text, q.Args(s.DB.Database.Dialect(), of), func(values *database.Row) error {
		if err := row.Read(values); err != nil {
			values.Forgive()
			add("%s %d is damaged: %v", kind, row.Mint.ID, err)
			return nil
		}
		var r nft.Record
		if err := row.Record(&r); err != nil {
			add("%s at log %d, sub index %d is damaged: %v", kind, row.Mint.LogIndex, row.Mint.SubIndex, err)
			return nil
		}
		records, contracts = append(records, r), append(contracts, row.Mint.ContractID)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading %ss of block %d: %w", kind, number, err)
	}
	addresses, err := read.ContractAddresses(ctx, s, contracts)
	if err != nil && !errors.Is(err, read.ErrNoAddress) {
		return nil, err
	}
	known := records[:0]
	for i, r := range records {
		if r.Contract = addresses[i]; r.Contract.IsZero() {
			add("%s at log %d, sub index %d: its contract, number %d, is missing", kind, r.LogIndex, r.SubIndex, contracts[i])
			continue
		}
		known = append(known, r)
	}
	return known, nil
}

// comparison collects differences.
type comparison struct {
	differences []string
	// numbers stand in for the ids of contracts: equal addresses have equal numbers.
	numbers map[evm.Address]int64
}

func (c *comparison) add(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// header compares headers. The stored parent hash may be missing unless linked.
func (c *comparison) header(got, want *evm.Header, linked bool) {
	parent := *want
	if got.ParentHash.IsZero() && !linked {
		parent.ParentHash = evm.Hash{}
	}
	fields(c, "", headerFields, got, want, tables.BlockRow(got).Diff(tables.BlockRow(&parent)))
}

// fields reports the documented fields in which two values differ. columns are the columns
// in which their rows differ.
func fields[T any](c *comparison, of string, list []field[T], got, want *T, columns []string) {
	reported := false
	differs := func(column string) bool { return slices.Contains(columns, column) }
	for _, f := range list {
		if a, b := f.value(got), f.value(want); a != b && slices.ContainsFunc(f.columns, differs) {
			c.add("%s%s: stored is %v, the chain has %v", of, f.name, a, b)
			reported = true
		}
	}
	if len(columns) > 0 && !reported {
		c.add("%s%s differ", of, columns)
	}
}

// walk merges two lists in chain order. It calls each with the two items at the same place,
// nil for a missing one.
func walk[T any](got, want []T, compare func(a, b *T) int, each func(got, want *T)) {
	for len(got) > 0 || len(want) > 0 {
		order := 1
		if len(want) == 0 {
			order = -1
		} else if len(got) > 0 {
			order = compare(&got[0], &want[0])
		}
		var a, b *T
		if order <= 0 {
			a, got = &got[0], got[1:]
		}
		if order >= 0 {
			b, want = &want[0], want[1:]
		}
		each(a, b)
	}
}

// records compares two lists of records.
func (c *comparison) records(got, want []nft.Record) {
	place := func(a, b *nft.Record) int {
		return cmp.Or(cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.SubIndex, b.SubIndex))
	}
	walk(got, want, place, func(a, b *nft.Record) {
		switch {
		case b == nil:
			c.add("%s is stored, and not on the chain", describe(a))
		case a == nil:
			c.add("%s is missing", describe(b))
		default:
			c.record(a, b)
		}
	})
}

func describe(r *nft.Record) string {
	return fmt.Sprintf("%s at log %d, sub index %d (collection %s, token %s)", r.Kind, r.LogIndex, r.SubIndex, r.Contract, r.TokenID)
}

// record compares the rows of two records at the same place.
func (c *comparison) record(got, want *nft.Record) {
	var stored, real tables.RecordRow
	stored.Set(got, 0, c.number(got.Contract))
	real.Set(want, 0, c.number(want.Contract))
	of := fmt.Sprintf("%s at log %d, sub index %d: ", want.Kind, want.LogIndex, want.SubIndex)
	fields(c, of, recordFields, got, want, stored.Diff(&real))
}

func (c *comparison) number(address evm.Address) int64 {
	if _, ok := c.numbers[address]; !ok {
		c.numbers[address] = int64(len(c.numbers))
	}
	return c.numbers[address]
}

func (c *comparison) rejected(got, want []nft.Rejected) {
	place := func(a, b *nft.Rejected) int { return cmp.Compare(a.Log.Index, b.Log.Index) }
	walk(got, want, place, func(a, b *nft.Rejected) {
		switch {
		case b == nil:
			c.add("rejected log %d is stored, but the log on the chain is not rejected", a.Log.Index)
			return
		case a == nil:
			c.add("rejected log %d is missing", b.Log.Index)
			return
		}
		for _, field := range []struct {
			name    string
			differs bool
			a, b    any
		}{
			{"reason", a.Reason != b.Reason, a.Reason, b.Reason},
			{"address", a.Log.Address != b.Log.Address, a.Log.Address, b.Log.Address},
			{"transaction_hash", a.Log.TxHash != b.Log.TxHash, a.Log.TxHash, b.Log.TxHash},
			{"topics", !slices.Equal(a.Log.Topics, b.Log.Topics), a.Log.Topics, b.Log.Topics},
			{"data", !bytes.Equal(a.Log.Data, b.Log.Data), describeData(a.Log.Data), describeData(b.Log.Data)},
		} {
			if field.differs {
				c.add("rejected log %d: %s: stored is %v, the chain has %v", b.Log.Index, field.name, field.a, field.b)
			}
		}
	})
}

// describeData formats the length and the first 32 bytes of a log's data.
func describeData(data []byte) string {
	const most = 32
	return fmt.Sprintf("%d bytes 0x%x", len(data), data[:min(len(data), most)])
}
