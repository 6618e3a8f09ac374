package write

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/token"
	"mintburn/ent/transaction"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/query"
	"mintburn/internal/store/queue"
	"mintburn/internal/store/tables"
)

// Insert writes the rows of blocks that are not stored yet.
func Insert(ctx context.Context, w *Tx, blocks []nft.Block) error {
	if err := w.Counts.flushContracts(ctx, w.Tx, w.loading); err != nil {
		return err
	}
	if err := nameContracts(ctx, w, blocks); err != nil {
		return err
	}
	if err := countNewTokens(ctx, w, blocks); err != nil {
		return err
	}
	b := blockInserter{
		writer:       w,
		headers:      w.Inserter(block.Table, block.Columns),
		mints:        w.Inserter(mint.Table, mint.Columns),
		burns:        w.Inserter(burn.Table, burn.Columns),
		rejected:     w.Inserter(rejectedlog.Table, rejectedlog.Columns),
		transactions: w.Inserter(transaction.Table, transaction.Columns),
	}
	fill := func() error {
		for i := range blocks {
			if err := b.add(ctx, &blocks[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := database.InsertAll(ctx, fill, b.headers, b.mints, b.burns, b.rejected, b.transactions); err != nil {
		return err
	}
	if err := noteFall(ctx, w, blocks); err != nil {
		return err
	}
	if err := queue.Unqueue(ctx, w, blocks); err != nil {
		return err
	}
	return queue.AddRefreshes(ctx, w, blocks)
}

// blockInserter writes new blocks. It builds their rows and adds the records to the
// counters in memory.
type blockInserter struct {
	writer                                        *Tx
	headers, mints, burns, rejected, transactions *database.Inserter
	// record is the row to add.
	record tables.RecordRow
}

func (t *blockInserter) add(ctx context.Context, b *nft.Block) error {
	h := &b.Header
	if err := t.headers.Add(ctx, tables.BlockRow(h)); err != nil {
		return err
	}
	for _, records := range [][]nft.Record{b.Mints, b.Burns} {
		for n := range records {
			if err := t.addRecord(ctx, h.Number, n, &records[n]); err != nil {
				return err
			}
		}
	}
	for i := range b.Rejected {
		row, err := tables.RejectedRow(h.Number, &b.Rejected[i])
		if err == nil {
			err = t.rejected.Add(ctx, row)
		}
		if err != nil {
			return err
		}
	}
	for i := range b.Transactions {
		if err := t.transactions.Add(ctx, tables.TransactionRow(h.Number, &b.Transactions[i])); err != nil {
			return err
		}
	}
	applied := &t.writer.applied
	applied.Blocks++
	applied.Mints += len(b.Mints)
	applied.Burns += len(b.Burns)
	applied.Rejected += len(b.Rejected)
	return nil
}

func (t *blockInserter) addRecord(ctx context.Context, number uint64, n int, r *nft.Record) error {
	// The last position of a block stays free for rewound cursors.
	if n >= 1<<tables.SlotBits-1 || r.LogIndex >= 1<<tables.SlotBits || r.SubIndex >= 1<<tables.SlotBits {
		return fmt.Errorf("block %d: more than 2^%d records or logs", number, tables.SlotBits)
	}
	pos, into := tables.FirstIn(number)|int64(n), t.mints
	t.record.Set(r, pos, t.writer.Contracts[r.Contract])
	account, row := r.To, database.Entity(&t.record.Mint)
	if r.Kind == nft.Burn {
		account, row, into = r.From, &t.record.Burn, t.burns
	}
	if !t.writer.loading {
		t.writer.Counters.Add(t.record.Counted(account), counter.Tally{N: 1, Amount: counter.AmountOf(r.Amount)})
	}
	return into.Add(ctx, row)
}

// named is the data of a contract that its records determine.
type named struct {
	standards int8
	records   [2]counter.Tally // by kind
	// first is the block number << 30 | log index of the first record.
	first *int64
}

// nameContracts assigns numbers to new contracts of the blocks, stores the standards and the
// first record of each contract, and counts its records.
func nameContracts(ctx context.Context, w *Tx, blocks []nft.Block) error {
	contracts := map[evm.Address]*named{}
	// In the order of their records, so that the same blocks result in the same rows.
	var order []evm.Address
	for i := range blocks {
		for kind, records := range [...][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for n := range records {
				r := &records[n]
				log := tables.FirstIn(blocks[i].Header.Number) | int64(r.LogIndex)
				c := contracts[r.Contract]
				if c == nil {
					c = new(named)
					contracts[r.Contract], order = c, append(order, r.Contract)
				}
				if c.first == nil || log < *c.first {
					c.first = &log
				}
				c.standards |= tables.StandardOf(r.Type)
				c.records[kind] = c.records[kind].Plus(counter.Tally{N: 1, Amount: counter.AmountOf(r.Amount)})
			}
		}
	}
	if err := storeContracts(ctx, w, order, contracts); err != nil || w.loading {
		return err
	}
	for address, c := range contracts {
		of := w.Counts.of(w.Contracts[address])
		for kind, records := range c.records {
			of.records[kind] = of.records[kind].Plus(records)
		}
	}
	return nil
}

// storeContracts assigns numbers to new contracts, and adds the data of contracts to their
// rows. The addresses must be distinct.
func storeContracts(ctx context.Context, w *Tx, addresses []evm.Address, contracts map[evm.Address]*named) error {
	for part := range slices.Chunk(addresses, tables.MaxArgs/len(contract.Columns)) {
		err := updateContracts(ctx, w, part, contracts)
		if err == nil {
			err = createContracts(ctx, w, part, contracts)
		}
		if err != nil {
			return fmt.Errorf("storing contracts: %w", err)
		}
	}
	return nil
}

// updateContracts adds the data of stored contracts to their rows, and notes their numbers. The
// addresses must fit into one statement.
func updateContracts(ctx context.Context, w *Tx, addresses []evm.Address, contracts map[evm.Address]*named) error {
	rows, err := w.client.Contract.Query().Where(contract.AddressIn(addresses...)).All(ctx)
	if err != nil {
		return err
	}
	// The rows with new standards, by standards, and those with new first logs.
	changed := map[int8][]*ent.Contract{}
	var begun, first []int64
	for _, row := range rows {
		w.Contracts[row.Address] = row.ID
		of := cmp.Or(contracts[row.Address], new(named))
		if all := row.Standards | of.standards; all != row.Standards {
			changed[all] = append(changed[all], row)
		}
		if of.first != nil && (row.FirstLog == nil || *of.first < *row.FirstLog) {
			begun, first = append(begun, row.ID), append(first, *of.first)
		}
	}
	for all, rows := range changed {
		if err := SetStandards(ctx, w, all, rows...); err != nil {
			return err
		}
	}
	if len(begun) == 0 {
		return nil
	}
	return derive.Update(ctx, w.Tx, query.Arrays{begun, first}, "first_log = k.v1")
}

// createContracts assigns numbers to the contracts that have none, whose names then have to be
// fetched. The addresses must fit into one statement.
func createContracts(ctx context.Context, w *Tx, addresses []evm.Address, contracts map[evm.Address]*named) error {
	var fresh []*ent.ContractCreate
	for _, address := range addresses {
		if _, known := w.Contracts[address]; !known {
			of := cmp.Or(contracts[address], new(named))
			create := w.client.Contract.Create().SetAddress(address).SetStandards(of.standards).SetNillableFirstLog(of.first)
			if !w.loading {
				create.SetMintCount(0).SetBurnCount(0).SetTokenCount(0)
			}
			if w.Counts.Traits.Counted == nil {
				create.SetTraits(0)
			}
			fresh = append(fresh, create)
		}
	}
	if len(fresh) > 0 && !w.leads {
		if err := tables.NewHistory(ctx, w.client); err != nil {
			return err
		}
	}
	created, err := w.client.Contract.CreateBulk(fresh...).Save(ctx)
	for _, row := range created {
		w.Contracts[row.Address] = row.ID
	}
	if err != nil {
		return err
	}
	return queue.EnterCollections(ctx, w, created)
}

// SetStandards stores the standards of the records of contracts. Documents that thereby have another type
// count as changed: all of a collection at most twice, because it only gains standards.
func SetStandards(ctx context.Context, w *Tx, standards int8, contracts ...*ent.Contract) error {
	var ids []int64
	// The contracts whose documents have another type now, by whether their URIs contain {id}.
	retyped := map[bool][]int64{}
	for _, row := range contracts {
		ids = append(ids, row.ID)
		for _, uriHasID := range []bool{false, true} {
			if tables.TypeOf(standards, uriHasID) != tables.TypeOf(row.Standards, uriHasID) {
				retyped[uriHasID] = append(retyped[uriHasID], row.ID)
			}
		}
	}
	if err := w.client.Contract.Update().Where(contract.IDIn(ids...)).SetStandards(standards).Exec(ctx); err != nil {
		return err
	}
	for uriHasID, ids := range retyped {
		if err := w.client.Token.Update().Where(token.ContractIDIn(ids...), token.URIHasID(uriHasID)).SetChanged(w.Log.Number()).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// RemoveBlocks removes the headers, records, transactions and rejected logs of a range of blocks, and
// subtracts the records from the counters and counts. With damaged, records may be unreadable, and
// the caller must recount.
func RemoveBlocks(ctx context.Context, w *Tx, r evm.Range, damaged bool) error {
	if err := w.Counts.flushContracts(ctx, w.Tx, w.loading); err != nil {
		return err
	}
	removed := map[tables.TokenKey]struct{}{}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		if err := removeRecords(ctx, w, kind, query.Within(r), damaged, removed); err != nil {
			return err
		}
	}
	// Collections that lost their first record get the next one, if any.
	begun := fmt.Sprintf("%s BETWEEN %d AND %d", contract.FieldFirstLog, tables.FirstIn(r.From), tables.LastIn(r.To))
	if err := derive.SetColumns(ctx, w.Tx, derive.Columns(w.Dialect())[:1], begun); err != nil {
		return err
	}
	if err := countTokens(ctx, w, removed, -1); err != nil {
		return err
	}
	if _, err := w.client.Block.Delete().Where(tables.BlockIDs(r)...).Exec(ctx); err != nil {
		return fmt.Errorf("removing headers: %w", err)
	}
	if err := forgetFall(ctx, w, r.From); err != nil {
		return err
	}
	if _, err := w.client.Transaction.Delete().Where(transaction.IDGTE(tables.FirstIn(r.From)), transaction.IDLTE(tables.LastIn(r.To))).Exec(ctx); err != nil {
		return fmt.Errorf("removing transactions: %w", err)
	}
	_, err := w.client.RejectedLog.Delete().Where(rejectedlog.IDGTE(tables.FirstIn(r.From)), rejectedlog.IDLTE(tables.LastIn(r.To))).Exec(ctx)
	return database.Wrap(err, "removing rejected logs")
}

// removeRecords removes the records of a kind in a selection. It adds their tokens to
// removed or, if damaged, marks their collections to be derived again.
func removeRecords(ctx context.Context, w *Tx, kind nft.Kind, of query.Selection, damaged bool, removed map[tables.TokenKey]struct{}) error {
	q := &query.Query{Kind: kind}
	// Not all columns: damage in the others must not prevent the removal.
	of.Columns = tables.CountedColumns
	if !damaged {
		of.Columns = append(slices.Clone(tables.CountedColumns), mint.FieldAmount)
	}
	row := tables.RecordRow{Kind: kind}
	err := w.Query(ctx, q.Selector(w.DB.Queries, of), func(values *database.Row) error {
		if err := row.Read(values, of.Columns...); err != nil {
			if damaged {
				values.Forgive()
				return nil
			}
			return err
		}
		account, err := row.Account()
		if err != nil && !damaged {
			return err
		}
		one := counter.Tally{N: 1, Amount: counter.AmountOf(row.Mint.Amount)}
		switch {
		case damaged:
			w.Counts.Derived[row.Mint.ContractID] = struct{}{}
		case !w.loading:
			removed[tables.TokenKey{ContractID: row.Mint.ContractID, TokenID: row.Mint.TokenID}] = struct{}{}
			of := w.Counts.of(row.Mint.ContractID)
			of.records[kind] = of.records[kind].Minus(one)
		}
		if !w.loading {
			w.Counters.Add(row.Counted(account), counter.Tally{}.Minus(one))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading %ss: %w", kind, err)
	}
	if kind == nft.Burn {
		_, err = w.client.Burn.Delete().Where(q.Where(of)).Exec(ctx)
	} else {
		_, err = w.client.Mint.Delete().Where(q.Where(of)).Exec(ctx)
	}
	return database.Wrap(err, "removing %ss", kind)
}
