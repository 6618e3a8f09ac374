package store

import (
	"bytes"
	"context"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/total"
)

// tokenPage is one page of the tokens of a collection that have a mint or burn, by token id.
type tokenPage struct {
	page.Page[*Token]
	of               *Collection
	partial, amounts bool
}

// Tokens returns a page of the tokens of a collection that have a mint or burn, by token id;
// [page.AnyPage.Read] reads it. Tokens only checks the arguments and reads nothing. Its errors are
// of type [apierror.Error] with the code BAD_USER_INPUT or INVALID_CURSOR; those of Read may also
// have the code BLOCK_NOT_INDEXED. partial accepts a result from the indexed blocks that
// missing blocks might change. amounts reads the amounts of single records with the tokens.
func (s *Snapshot) Tokens(of *Collection, partial, amounts bool, args page.Args) (*page.Page[*Token], error) {
	p := &tokenPage{of: of, partial: partial, amounts: amounts}
	if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
		return nil, err
	}
	return &p.Page, p.BelongTo(cursor.Fingerprint(append([]byte("tokens of"), of.Address[:]...)))
}

// ReadPage implements [page.List].
func (p *tokenPage) ReadPage(ctx context.Context, also page.Selected, _ bool) error {
	return p.Snapshot.Tx.Together(ctx, 3, func(ctx context.Context, i int) error {
		switch {
		case i == 0 && !p.partial:
			return read.RequireNoHole(ctx, p.Snapshot)
		case i == 1:
			if err := p.readItems(ctx); err != nil {
				return err
			}
			return page.Together(ctx, &p.AnyPage, page.Neighbours(&p.AnyPage, also))
		case i == 2 && also.Total:
			_, _ = p.Total(ctx)
		}
		return nil
	})
}

func (p *tokenPage) readItems(ctx context.Context) error {
	from, to := keyOf(p.After, []byte{}), keyOf(p.Before, afterAllTokens)
	if p.Backward {
		from, to = to, from
	}
	l := &query.List{Name: "tokens"}
	key := query.Key{Name: "page of tokens of a collection", FromHigh: p.Backward}
	args := []any{p.of.contractID, from, p.Size + 1, to}
	var items []*Token
	err := latestOf(ctx, p.Snapshot, key, l, p.amounts, func(b *entsql.Builder) { writeTokens(b, p.Backward, args) }, args, func(n int64, id evm.Uint256, found latest) {
		key := nft.TokenKey{Contract: p.of.Address, TokenID: id}
		items = append(items, &Token{TokenKey: key, Type: found.typ, Latest: found.kind, Subject: Subject{contractID: n, tokenID: &key.TokenID, known: found.known}})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(items, func(a, b *Token) int { return a.TokenID.Cmp(b.TokenID) })
	if p.Backward {
		slices.Reverse(items)
	}
	p.Take(items)
	return nil
}

// afterAllTokens sorts after every token id, whose first byte is its length.
var afterAllTokens = []byte{0xff}

// keyOf returns the key of a cursor, or none if c is nil.
func keyOf(c *cursor.Cursor, none []byte) []byte {
	if c == nil {
		return none
	}
	return c.Key
}

// Count implements [page.List].
func (p *tokenPage) Count(ctx context.Context) (int64, error) {
	return total.Tokens(ctx, p.Snapshot, p.of.contractID)
}

// Key implements [page.List].
func (p *tokenPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.PrecedingToken(&p.Bounds)
	}
	return cursor.Key{TokenID: p.Items[i].TokenID.Bytes()}, nil
}

// Exists implements [page.List].
func (p *tokenPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (found bool, err error) {
	var key cursor.Key
	switch {
	case follows:
		key, err = p.Key(p.Len() - 1)
	case p.Len() > 0:
		key, err = p.Key(0)
	default:
		// Include the cursor's own token, which precedes an empty page.
		key.TokenID = append(bytes.Clone(bound.Key), 0)
	}
	if err != nil {
		return false, err
	}
	args := []any{p.of.contractID, key.TokenID}
	_, err = p.Snapshot.Last(ctx, query.Key{Name: "token of a collection", FromHigh: !follows}, func(*ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(p.Snapshot.DB.Database.Dialect())
			b.WriteString("WITH walk(n, b) AS (SELECT ")
			writeTyped(b, args[0], "bigint")
			b.WriteString(", ")
			writeTyped(b, args[1], "bytea")
			b.WriteString(") SELECT ")
			writeNext(b, !follows)
			b.WriteString(" FROM walk")
		})
	}, args, func(row *database.Row) error {
		found = !row.Null()
		return nil
	})
	return found, database.Wrap(err, "looking beyond a page of tokens")
}

// writeTokens writes the WITH clause with the table k(n, b) of the first tokens of a
// collection after a key, or of the last ones before it. From each token, one seek in mints
// and one in burns finds the next; the other records of a token are not read. The arguments
// are the collection, the key, the number of tokens, and the key, exclusive, at which the
// tokens end.
func writeTokens(b *entsql.Builder, backward bool, args []any) {
	b.WriteString("WITH RECURSIVE walk(n, b, i) AS (SELECT ")
	writeTyped(b, args[0], "bigint")
	b.WriteString(", ")
	writeTyped(b, args[1], "bytea")
	b.WriteString(", 0 UNION ALL SELECT n, ")
	writeNext(b, backward)
	b.WriteString(", i + 1 FROM walk WHERE b IS NOT NULL AND i < ")
	writeTyped(b, args[2], "bigint")
	b.WriteString("), k(n, b) AS (SELECT n, b FROM walk WHERE i > 0 AND b ")
	b.WriteOp(beyond(!backward)).Arg(args[3])
	b.WriteString(")")
}

// beyond returns the operator that selects the token ids before a key, or after it.
func beyond(before bool) entsql.Op {
	if before {
		return entsql.OpLT
	}
	return entsql.OpGT
}

// writeNext writes an expression for the first token id of the collection walk.n after
// walk.b, or the last before it; null if there is none.
func writeNext(b *entsql.Builder, backward bool) {
	order, least := "", "LEAST"
	if backward {
		order, least = " DESC", "GREATEST"
	}
	one := func(table string) {
		b.WriteString("(SELECT " + mint.FieldTokenID + " FROM " + table + " WHERE " + mint.FieldContractID + " = walk.n AND " + mint.FieldTokenID)
		b.WriteOp(beyond(backward)).WriteString("walk.b ORDER BY " + mint.FieldTokenID + order + " LIMIT 1)")
	}
	if b.Dialect() == dialect.Postgres {
		b.WriteString(least + "(")
		one(mint.Table)
		b.WriteString(", ")
		one(burn.Table)
		b.WriteString(")")
		return
	}
	// Not SQLite's MIN of two values, which is null if one of them is null.
	b.WriteString("(SELECT " + map[bool]string{false: "MIN", true: "MAX"}[backward] + "(b) FROM (SELECT ")
	one(mint.Table)
	b.WriteString(" AS b UNION ALL SELECT ")
	one(burn.Table)
	b.WriteString("))")
}

// writeTyped writes an argument, with its type for PostgreSQL, which cannot infer it.
func writeTyped(b *entsql.Builder, value any, typ string) {
	if b.Dialect() != dialect.Postgres {
		b.Arg(value)
		return
	}
	b.WriteString("CAST(").Arg(value).WriteString(" AS " + typ + ")")
}
