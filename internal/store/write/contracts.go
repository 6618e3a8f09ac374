package write

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
)

// updateContracts updates rows of contracts from a table k with their ids and the columns
// v1, v2 and so on.
func updateContracts(ctx context.Context, tx *database.Tx, table query.Arrays, set string) error {
	_, err := tx.Exec(ctx, entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(tx.Dialect())
		b.WriteString("WITH k(id")
		for i := range table[1:] {
			b.WriteString(fmt.Sprintf(", v%d", i+1))
		}
		b.WriteString(") AS ").Wrap(table.Write)
		b.WriteString(" UPDATE " + contract.Table + " SET " + set + " FROM k WHERE contracts.id = k.id")
	}))
	return err
}

// contractCounts are changes to the counts of a collection.
type contractCounts struct {
	// documents counts tokens with a document, tokens those with records.
	documents, tokens, resolved, pending, failed, recordless int64
	records                                                  [2]int64 // by kind
	// traits counts traits, which tokens have.
	traits int64
}

// countState adds n tokens with a fetch state; "" means none.
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
