package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/refresh"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/ent/traitvalue"
	"mintburn/ent/version"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// contractTables are the tables other than mints and burns whose rows refer to a contract, without
// those whose rows follow from others.
var contractTables = [...]string{token.Table, resolution.Table, refresh.Table, version.Table, contractmetadata.Table}

// checkOrphans looks for rows that refer to a missing contract: nothing reads them, and the
// address of the contract is lost. A repair removes them, unless the contract has records:
// then its row can still be restored.
func checkOrphans(ctx context.Context, c *checker) error {
	for _, table := range contractTables {
		found := map[int64]int64{}
		err := c.pages(ctx, table, func(s *read.Snapshot, above, last int64) error {
			builder := s.Tx.Builder()
			rows, contracts := builder.Table(table).As("orphan"), builder.Table(contract.Table).As("named")
			orphans := builder.Select(rows.C(mint.FieldContractID)).AppendSelect(entsql.Count("*")).From(rows).
				LeftJoin(contracts).On(contracts.C(contract.FieldID), rows.C(mint.FieldContractID)).
				Where(entsql.And(entsql.GT(rows.C("id"), above), entsql.LTE(rows.C("id"), last), entsql.IsNull(contracts.C(contract.FieldID)))).
				GroupBy(rows.C(mint.FieldContractID))
			err := s.Tx.Query(ctx, orphans, func(row *database.Row) error {
				id := row.Int64()
				found[id] += row.Int64()
				return row.Err()
			})
			return database.Wrap(err, "reading %s", table)
		})
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(found)) {
			if err := orphansOf(ctx, c, table, id, found[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// orphansOf reports the rows of a table that refer to one missing contract.
func orphansOf(ctx context.Context, c *checker, table string, contractID, rows int64) error {
	records := false
	err := c.read(ctx, func(s *read.Snapshot) (err error) {
		records, err = s.Client().Mint.Query().Where(mint.ContractID(contractID)).Exist(ctx)
		if err == nil && !records {
			records, err = s.Client().Burn.Query().Where(burn.ContractID(contractID)).Exist(ctx)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("looking for records of contract %d: %w", contractID, err)
	}
	const missing = "%s: %d rows are of contract number %d, which is missing"
	if records {
		c.differ(missing+"; verify --repair stores its records anew, then check --repair removes these", table, rows, contractID)
		return nil
	}
	c.differ(missing, table, rows, contractID)
	return c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
		builder := w.Builder()
		contracts := builder.Table(contract.Table)
		known := builder.Select(contracts.C(contract.FieldID)).From(contracts).Where(entsql.EQ(contracts.C(contract.FieldID), contractID))
		_, err := w.Exec(ctx, builder.Delete(table).Where(entsql.And(entsql.EQ(mint.FieldContractID, contractID), entsql.NotExists(known))))
		return err
	})
}

// checkEntries looks for entries of the index of traits whose value is not stored.
func checkEntries(ctx context.Context, c *checker) error {
	const unknown = " AND NOT EXISTS (SELECT 1 FROM " + traitvalue.Table + " AS v WHERE v.id = value_id)"
	return c.pagesBy(ctx, facet.Index, "value_id", func(s *read.Snapshot, above, last int64) error {
		var values []int64
		entries := fmt.Sprintf("SELECT value_id, count(*) FROM %s WHERE value_id > %d AND value_id <= %d%s GROUP BY value_id ORDER BY value_id", facet.Index, above, last, unknown)
		err := s.Tx.Query(ctx, entsql.Raw(entries), func(row *database.Row) error {
			value, n := row.Int64(), row.Int64()
			if row.Err() == nil {
				values = append(values, value)
				c.differ("%s: %d entries are of value number %d, which is missing", facet.Index, n, value)
			}
			return row.Err()
		})
		if err != nil {
			return database.Wrap(err, "reading %s", facet.Index)
		}
		return repairEach(ctx, c, values, func(ctx context.Context, w *write.Tx, value int64) error {
			_, err := w.Exec(ctx, entsql.Raw(fmt.Sprintf("DELETE FROM %s WHERE value_id = %d%s", facet.Index, value, unknown)))
			return err
		})
	})
}

// checkUnminted looks for queued tokens that have neither a mint nor a document.
func checkUnminted(ctx context.Context, c *checker) error {
	return c.pages(ctx, resolution.Table, func(s *read.Snapshot, above, last int64) error {
		rows, err := s.Client().Resolution.Query().Where(resolution.IDGT(int(above)), resolution.IDLTE(int(last)), neverMinted).Order(resolution.ByID()).
			Select(resolution.FieldContractID, resolution.FieldTokenID).All(ctx)
		if err != nil {
			return fmt.Errorf("reading the queue: %w", err)
		}
		for _, row := range rows {
			c.differ("queue: token %s of collection %s was never minted", row.TokenID, contractName(ctx, s, row.ContractID))
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Resolution) error {
			row, found, err := tables.Found(w.Client().Resolution.Query().Where(resolution.ID(row.ID), neverMinted).Only(ctx))
			if err != nil || !found {
				return err
			}
			w.CountState(tables.StateChange{ContractID: row.ContractID, TokenID: row.TokenID, From: tables.FetchState(false, row), Tokens: 1})
			return w.Client().Resolution.DeleteOne(row).Exec(ctx)
		})
	})
}

// checkVersions looks for earlier versions of tokens without a document.
func checkVersions(ctx context.Context, c *checker) error {
	return c.pages(ctx, version.Table, func(s *read.Snapshot, above, last int64) error {
		rows, err := s.Client().Version.Query().Where(version.IDGT(int(above)), version.IDLTE(int(last)), undocumented).Order(version.ByID()).
			Select(version.FieldContractID, version.FieldTokenID, version.FieldNumber).All(ctx)
		if err != nil {
			return fmt.Errorf("reading versions: %w", err)
		}
		for _, row := range rows {
			c.differ("version %d of token %s of collection %s: the token has no document", row.Number, row.TokenID, contractName(ctx, s, row.ContractID))
		}
		return repairEach(ctx, c, rows, func(ctx context.Context, w *write.Tx, row *ent.Version) error {
			_, err := w.Client().Version.Delete().Where(version.ID(row.ID), undocumented).Exec(ctx)
			return err
		})
	})
}

// undocumented selects the versions of tokens of known contracts that have no document.
func undocumented(s *entsql.Selector) {
	documents := entsql.Dialect(s.Dialect()).Table(token.Table).As("of_token")
	s.Where(entsql.And(ofKnownContract(s), entsql.NotExists(entsql.Dialect(s.Dialect()).Select(documents.C(token.FieldID)).From(documents).Where(entsql.And(
		entsql.ColumnsEQ(documents.C(token.FieldContractID), s.C(version.FieldContractID)),
		entsql.ColumnsEQ(documents.C(token.FieldTokenID), s.C(version.FieldTokenID)))))))
}

// ofKnownContract selects the rows of contracts that exist.
func ofKnownContract(s *entsql.Selector) *entsql.Predicate {
	builder := entsql.Dialect(s.Dialect())
	contracts := builder.Table(contract.Table)
	return entsql.Exists(builder.Select(contracts.C(contract.FieldID)).From(contracts).Where(entsql.ColumnsEQ(contracts.C(contract.FieldID), s.C(mint.FieldContractID))))
}

// neverMinted selects queued tokens of known contracts that have neither a mint nor a
// document.
func neverMinted(s *entsql.Selector) {
	builder := entsql.Dialect(s.Dialect())
	same := func(table, column string) *entsql.Predicate {
		of := builder.Table(table).As("of_" + table)
		return entsql.Exists(builder.Select(of.C("id")).From(of).Where(entsql.And(
			entsql.ColumnsEQ(of.C(mint.FieldContractID), s.C(resolution.FieldContractID)), entsql.ColumnsEQ(of.C(column), s.C(resolution.FieldTokenID)))))
	}
	s.Where(entsql.And(ofKnownContract(s), entsql.Not(same(mint.Table, mint.FieldTokenID)), entsql.Not(same(token.Table, token.FieldTokenID))))
}

// checkQueue checks that the tokens minted in blocks that count as queued are in the queue.
func checkQueue(ctx context.Context, c *checker) error {
	return c.pages(ctx, mint.Table, func(s *read.Snapshot, above, last int64) error {
		blocks, err := blocksNotQueued(ctx, s, above, last)
		if err != nil {
			return fmt.Errorf("reading mints: %w", err)
		}
		for _, number := range blocks {
			c.differ("queue: mints of block %d count as entered, and their tokens are not there", number)
		}
		return repairEach(ctx, c, blocks, func(ctx context.Context, w *write.Tx, number uint64) error {
			return tables.Uncover(ctx, w.Client(), coverage.KindQueued, evm.Range{From: number, To: number})
		})
	})
}

// blocksNotQueued returns the blocks of a page of mints that count as queued although the
// queue lacks some of their tokens.
func blocksNotQueued(ctx context.Context, s *read.Snapshot, above, last int64) (blocks []uint64, err error) {
	queued, err := validRanges(ctx, s.Client(), coverage.KindQueued)
	if err != nil || len(tables.Common(queued, evm.Range{From: tables.BlockOf(above + 1), To: tables.BlockOf(last)})) == 0 {
		return nil, err
	}
	builder := s.Tx.Builder()
	mints, queue := builder.Table(mint.Table).As("minted"), builder.Table(resolution.Table).As("queued")
	missing := builder.Select(mints.C(mint.FieldID)).From(mints).
		LeftJoin(queue).OnP(entsql.And(
		entsql.ColumnsEQ(queue.C(resolution.FieldContractID), mints.C(mint.FieldContractID)),
		entsql.ColumnsEQ(queue.C(resolution.FieldTokenID), mints.C(mint.FieldTokenID)))).
		Where(entsql.And(entsql.GT(mints.C(mint.FieldID), above), entsql.LTE(mints.C(mint.FieldID), last), entsql.IsNull(queue.C(resolution.FieldID)))).
		OrderBy(mints.C(mint.FieldID))
	err = s.Tx.Query(ctx, missing, func(row *database.Row) error {
		number := tables.BlockOf(row.Int64())
		if n := len(blocks); row.Err() == nil && (n == 0 || blocks[n-1] != number) && len(tables.Common(queued, evm.Range{From: number, To: number})) > 0 {
			blocks = append(blocks, number)
		}
		return row.Err()
	})
	return blocks, err
}
