package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// A collection's row repeats what its other rows say: its first record, how many tokens
// have records, and how many have which fetch state. All of it changes in the transactions
// that change the rows. While a database is loaded there is no index to look tokens up
// with: token_count is null until the load ends.
//
// A token is tried if it has a document or an error. Tried tokens without a record, whose
// documents were imported, are counted as recordless: the tokens that were never tried are
// token_count less the tried ones that have records.

// derived are the columns that the rows of a collection give.
type derived struct{ column, value string }

// derivedColumns are SQL expressions over a row of contracts.
func derivedColumns(name string) []derived {
	first := func(table string) string {
		of := "contract_id = contracts.id"
		if name == dialect.Postgres {
			// In the order of the index of collections: the key's would look cheaper.
			of = "contract_id = ANY(ARRAY[contracts.id])"
		}
		return fmt.Sprintf("SELECT * FROM (SELECT (id >> %d << %[1]d) | log_index AS log FROM %s WHERE %s ORDER BY contract_id, id LIMIT 1) AS %[2]s", tables.SlotBits, table, of)
	}
	const (
		fetched  = " LEFT JOIN " + resolution.Table + " AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id WHERE t.contract_id = contracts.id AND r.error IS NULL AND "
		noRecord = " NOT EXISTS (SELECT 1 FROM " + mint.Table + " AS m WHERE m.contract_id = t.contract_id AND m.token_id = t.token_id)" +
			" AND NOT EXISTS (SELECT 1 FROM " + burn.Table + " AS b WHERE b.contract_id = t.contract_id AND b.token_id = t.token_id)"
		neverMinted = " NOT EXISTS (SELECT 1 FROM " + mint.Table + " AS m WHERE m.contract_id = t.contract_id AND m.token_id = t.token_id)"
	)
	return []derived{
		{contract.FieldFirstLog, "(SELECT min(log) FROM (" + first(mint.Table) + " UNION ALL " + first(burn.Table) + ") AS both_kinds)"},
		{contract.FieldTokenCount, "((SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + mint.Table + " WHERE contract_id = contracts.id) AS minted)" +
			" + (SELECT count(*) FROM (SELECT DISTINCT token_id FROM " + burn.Table + " AS t WHERE contract_id = contracts.id AND" + neverMinted + ") AS burned))"},
		{contract.FieldRecordless, "(SELECT count(*) FROM (SELECT contract_id, token_id FROM " + token.Table + " WHERE contract_id = contracts.id" +
			" UNION SELECT contract_id, token_id FROM " + resolution.Table + " WHERE contract_id = contracts.id AND error IS NOT NULL) AS t WHERE" + noRecord + ")"},
		{contract.FieldFailed, "(SELECT count(*) FROM " + resolution.Table + " WHERE contract_id = contracts.id AND error IS NOT NULL)"},
		{contract.FieldPending, "(SELECT count(*) FROM " + token.Table + " AS t" + fetched + "r.state <> 'done')"},
		{contract.FieldResolved, "(SELECT count(*) FROM " + token.Table + " AS t" + fetched + "(r.state IS NULL OR r.state = 'done'))"},
	}
}

// ofRecords are the columns that depend on records.
const ofRecords = 3

// derive stores the first n derived columns anew, of the collections that a condition on
// contracts selects.
func derive(ctx context.Context, w *writer, columns []derived, where string) error {
	text := "UPDATE " + contract.Table + " SET "
	for i, d := range columns {
		if i > 0 {
			text += ", "
		}
		text += d.column + " = " + d.value
	}
	if _, err := w.Exec(ctx, entsql.Raw(text+" WHERE "+where)); err != nil {
		return fmt.Errorf("counting tokens: %w", err)
	}
	return nil
}

// lowerFirst gives collections their first record, each before the one that they have.
func lowerFirst(ctx context.Context, w *writer, logs map[int64]int64) error {
	if len(logs) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(logs))
	first := make([]int64, len(ids))
	for i, id := range ids {
		first[i] = logs[id]
	}
	return updateContracts(ctx, w, arrays{ids, first}, "first_log = k.v1")
}

// updateContracts changes rows of contracts by a table k of their ids and of the columns
// v1, v2 and so on.
func updateContracts(ctx context.Context, w *writer, table arrays, set string) error {
	_, err := w.Exec(ctx, entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(w.Dialect())
		b.WriteString("WITH k(id")
		for i := range table[1:] {
			b.WriteString(fmt.Sprintf(", v%d", i+1))
		}
		b.WriteString(") AS ").Wrap(table.write)
		b.WriteString(" UPDATE " + contract.Table + " SET " + set + " FROM k WHERE contracts.id = k.id")
	}))
	return err
}

// contractCounts are changes of the counts of a collection.
type contractCounts struct {
	// documents is the number of documents, tokens that of tokens with records.
	documents, tokens, resolved, pending, failed, recordless int64
}

// countState counts a token of a collection with a fetch state, "" being none.
func (c *contractCounts) countState(state nft.MetadataState, n int64) {
	switch state {
	case nft.Resolved:
		c.resolved += n
	case nft.Pending:
		c.pending += n
	case nft.Failed:
		c.failed += n
	}
}

// of returns the changes of a collection.
func (c *counts) of(contractID int64) *contractCounts {
	if c.contracts[contractID] == nil {
		c.contracts[contractID] = new(contractCounts)
	}
	return c.contracts[contractID]
}

// CountState implements [queue.Tx].
func (w *writer) CountState(change tables.StateChange) {
	of := w.counts.of(change.ContractID)
	of.countState(change.From, -change.Tokens)
	of.countState(change.To, change.Tokens)
	switch key := (tokenKey{change.ContractID, change.TokenID}); {
	case change.From == change.To:
	case change.From == "":
		w.counts.tried[key]++
	case change.To == "":
		w.counts.tried[key]--
	}
}

// flushContracts writes the changes of the counts of collections. Records must be as they
// were when these were noted.
func (c *counts) flushContracts(ctx context.Context, w *writer) error {
	if err := c.addRecordless(ctx, w); err != nil {
		return err
	}
	var ids []int64
	columns := make([][]int64, 6)
	for _, id := range slices.Sorted(maps.Keys(c.contracts)) {
		n := *c.contracts[id]
		if n == (contractCounts{}) {
			continue
		}
		ids = append(ids, id)
		for i, v := range [...]int64{n.documents, n.tokens, n.resolved, n.pending, n.failed, n.recordless} {
			columns[i] = append(columns[i], v)
		}
	}
	clear(c.contracts)
	if len(ids) == 0 {
		return nil
	}
	err := updateContracts(ctx, w, arrays{ids, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]},
		"tokens = tokens + k.v1, token_count = token_count + k.v2, resolved = resolved + k.v3, pending = pending + k.v4, failed = failed + k.v5, recordless = recordless + k.v6")
	if err != nil {
		return fmt.Errorf("counting token metadata: %w", err)
	}
	return nil
}

// addRecordless counts the tokens without records that are tried now, or are not any more.
func (c *counts) addRecordless(ctx context.Context, w *writer) error {
	defer clear(c.tried)
	if w.loading {
		return nil
	}
	var keys []tokenKey
	for key, delta := range c.tried {
		if delta != 0 {
			keys = append(keys, key)
		}
	}
	none, err := withoutRecords(ctx, w, keys)
	for _, key := range none {
		c.of(key.contractID).recordless += c.tried[key]
	}
	return err
}
