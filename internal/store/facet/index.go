package facet

import (
	"context"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Build adds the next documents to the index of tokens, and binds the index to the database.
// It reports whether the index is complete.
func (c *Changes) Build(ctx context.Context, tx *database.Tx, client *ent.Client) (done bool, err error) {
	switch {
	case c.Index == nil:
		// A removal may have been stopped.
		if done, err := clearSome(ctx, tx); err != nil || !done {
			return false, err
		}
		c.Index = new(Walk)
	case c.Index.Done:
		return true, nil
	}
	to, done, err := c.Index.Step(ctx, tx, func(token tables.TokenKey, attributes []nft.Attribute) { c.add(token, attributes, 0, 0, 1) })
	if err != nil {
		return false, database.Wrap(err, "indexing traits")
	}
	to.Done = done
	c.Index = to
	return done, tables.Set(ctx, client, tables.TraitIndex, to)
}

// Drop unbinds the index of tokens and removes some of its entries. It reports whether none
// are left.
func (c *Changes) Drop(ctx context.Context, tx *database.Tx, client *ent.Client) (done bool, err error) {
	c.Index = nil
	if err := tables.Remove(ctx, client, tables.TraitIndex); err != nil {
		return false, err
	}
	return clearSome(ctx, tx)
}
