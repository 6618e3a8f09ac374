package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/burn"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/nft"
)

// countNewTokens counts the tokens of blocks, which are about to be stored, that have no
// record yet.
func countNewTokens(ctx context.Context, w *writer, blocks []nft.Block) error {
	if w.loading {
		return nil
	}
	tokens := map[tokenKey]struct{}{}
	for i := range blocks {
		for _, records := range [][]nft.Record{blocks[i].Mints, blocks[i].Burns} {
			for n := range records {
				tokens[tokenKey{w.contracts[records[n].Contract], records[n].TokenID}] = struct{}{}
			}
		}
	}
	return countTokens(ctx, w, tokens, 1)
}

// countTokens counts those of the tokens that have no record: 1 means that they get one
// now, -1 that they lost the last.
func countTokens(ctx context.Context, w *writer, tokens map[tokenKey]struct{}, delta int64) error {
	keys := make([]tokenKey, 0, len(tokens))
	for key := range tokens {
		keys = append(keys, key)
	}
	none, err := withoutRecords(ctx, w, keys)
	if err != nil {
		return err
	}
	ids := map[int64]struct{}{}
	for _, key := range none {
		ids[key.contractID] = struct{}{}
		w.counts.of(key.contractID).tokens += delta
	}
	if delta > 0 {
		// Hardly a collection has documents of tokens that have no record.
		some, err := withRecordless(ctx, w, slices.Collect(maps.Keys(ids)))
		if err != nil {
			return err
		}
		none = slices.DeleteFunc(none, func(key tokenKey) bool { return !some[key.contractID] })
	}
	tried, err := selectTokenKeys(ctx, w, none, "(SELECT 1 FROM "+token.Table+" AS t WHERE t.contract_id = k.n AND t.token_id = k.b) IS NOT NULL "+
		"OR (SELECT 1 FROM "+resolution.Table+" AS r WHERE r.contract_id = k.n AND r.token_id = k.b AND r.error IS NOT NULL) IS NOT NULL")
	for _, key := range tried {
		w.counts.of(key.contractID).recordless -= delta
	}
	return err
}

// withRecordless returns those of different collections that have tried tokens without
// records.
func withRecordless(ctx context.Context, w *writer, ids []int64) (map[int64]bool, error) {
	some := map[int64]bool{}
	for part := range slices.Chunk(ids, maxArgs) {
		found, err := w.client.Contract.Query().Where(contract.IDIn(part...), contract.RecordlessNEQ(0)).IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading contracts: %w", err)
		}
		for _, id := range found {
			some[id] = true
		}
	}
	return some, nil
}

// withoutRecords returns those of different tokens that have no record.
func withoutRecords(ctx context.Context, w *writer, keys []tokenKey) ([]tokenKey, error) {
	none := func(table string) string {
		return "(SELECT id FROM " + table + " WHERE contract_id = k.n AND token_id = k.b LIMIT 1) IS NULL"
	}
	return selectTokenKeys(ctx, w, keys, none(mint.Table)+" AND "+none(burn.Table))
}

// selectTokenKeys returns those of tokens for which a condition on a table k of their
// contract n and id b holds. A subquery of one value keeps PostgreSQL from reading the
// records of all tokens at once.
func selectTokenKeys(ctx context.Context, w *writer, keys []tokenKey, where string) (found []tokenKey, err error) {
	for part := range slices.Chunk(keys, maxArgs) {
		contracts, ids, places := make([]int64, len(part)), make([][]byte, len(part)), make([]int64, len(part))
		for i, key := range part {
			contracts[i], ids[i], places[i] = key.contractID, key.tokenID.Bytes(), int64(i)
		}
		err = w.Query(ctx, entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(w.Dialect())
			b.WriteString("WITH k(n, b, i) AS ").Wrap(arrays{contracts, ids, places}.write)
			b.WriteString(" SELECT k.i FROM k WHERE " + where)
		}), func(row *database.Row) error {
			if i := row.Unsigned(uint64(len(part) - 1)); row.Err() == nil {
				found = append(found, part[i])
			}
			return row.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("looking for tokens: %w", err)
		}
	}
	return found, nil
}

// deriveSome stores the derived columns of records of some collections anew.
func deriveSome(ctx context.Context, w *writer, ids []int64) error {
	columns := derivedColumns(w.Dialect())[:ofRecords]
	if w.loading {
		columns = columns[:1] // The others have no index.
	}
	for part := range slices.Chunk(ids, maxArgs) {
		list := make([]string, len(part))
		for i, id := range part {
			list[i] = strconv.FormatInt(id, 10)
		}
		if err := derive(ctx, w, columns, "id IN ("+strings.Join(list, ", ")+")"); err != nil {
			return err
		}
	}
	return nil
}
