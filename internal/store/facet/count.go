package facet

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/trait"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Count counts the tokens of the next documents. It reports whether all are counted.
func (c *Changes) Count(ctx context.Context, tx *database.Tx, client *ent.Client) (done bool, err error) {
	if c.Counted == nil {
		return true, nil
	}
	from := *c.Counted
	to, done, err := from.Step(ctx, tx, func(token tables.TokenKey, attributes []nft.Attribute) { c.add(token, attributes, 0, 1, 0) })
	if err != nil {
		return false, fmt.Errorf("counting traits: %w", err)
	}
	c.Counted = to
	// The collections that the walk has left.
	left := entsql.GTE(contract.FieldID, from.ContractID)
	if done {
		err = tables.Remove(ctx, client, tables.TraitsCounted)
	} else {
		left = entsql.And(left, entsql.LT(contract.FieldID, to.ContractID))
		err = tables.Set(ctx, client, tables.TraitsCounted, to)
	}
	if err != nil {
		return false, err
	}
	// The traits counted in this transaction are added when it ends.
	count := tx.Builder().Update(contract.Table).Set(contract.FieldTraits, entsql.Raw("("+NumberOf+")")).Where(left)
	_, err = tx.Exec(ctx, count)
	return done, database.Wrap(err, "counting traits")
}

// NumberOf is the SQL expression for the number of traits of a row of contracts.
const NumberOf = "SELECT count(*) FROM " + trait.Table + " AS t WHERE t.contract_id = contracts.id AND t.tokens > 0"
