package facet

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
)

// The index of tokens has an entry for each token and each value that it has: the row of the
// value, and the token id. ent supports no keys of two columns, so package facet writes the
// statements itself.

// Index is the table of the index.
const Index = "trait_tokens"

// entries are entries to add to the index and to remove from it.
type entries struct{ added, removed query.List }

// add adds the changes of a value.
func (e *entries) add(valueID int64, changes map[evm.Uint256]int64) {
	for token, delta := range changes {
		if list := &e.removed; delta < 0 {
			list.Add(valueID, token.Bytes())
		} else {
			e.added.Add(valueID, token.Bytes())
		}
	}
}

// write writes the changes.
func (e *entries) write(ctx context.Context, tx *database.Tx) error {
	for _, one := range []struct {
		list *query.List
		text string
	}{
		{&e.removed, " DELETE FROM " + Index + " WHERE (value_id, token_id) IN (SELECT n, b FROM k)"},
		{&e.added, " INSERT INTO " + Index + " (value_id, token_id) SELECT n, b FROM k WHERE true ON CONFLICT DO NOTHING"},
	} {
		if len(one.list.N) == 0 {
			continue
		}
		_, err := tx.Exec(ctx, entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(tx.Dialect())
			b.WriteString("WITH k(n, b) AS ").Wrap(one.list.Table().Write).WriteString(one.text)
		}))
		if err != nil {
			return database.Wrap(err, "indexing traits")
		}
	}
	return nil
}

// removedAtOnce is how many entries a step removes.
const removedAtOnce = 10_000

// clearSome removes some entries, and reports whether none are left.
func clearSome(ctx context.Context, tx *database.Tx) (done bool, err error) {
	n, err := tx.Exec(ctx, entsql.Raw(fmt.Sprintf("DELETE FROM %[1]s WHERE (value_id, token_id) IN "+
		"(SELECT value_id, token_id FROM %[1]s ORDER BY value_id, token_id LIMIT %[2]d)", Index, removedAtOnce)))
	return n == 0, database.Wrap(err, "removing the index of traits")
}
