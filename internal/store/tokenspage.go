package store

import (
	"bytes"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
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
	of      *Collection
	partial bool
}

// Tokens returns a page of the tokens of a collection that have a mint or burn, by token id;
// [page.AnyPage.Read] reads it. Tokens only checks the arguments and reads nothing. Its errors are
// of type [apierror.Error] with the code BAD_USER_INPUT or INVALID_CURSOR; those of Read may also
// have the code BLOCK_NOT_INDEXED. partial accepts a result from the indexed blocks that
// missing blocks might change.
func (s *Snapshot) Tokens(of *Collection, partial bool, args page.Args) (*page.Page[*Token], error) {
	p := &tokenPage{of: of, partial: partial}
	if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
		return nil, err
	}
	return &p.Page, p.BelongTo(cursor.Fingerprint(append([]byte("tokens of"), of.Address[:]...)))
}

// Prepare implements [page.List].
func (p *tokenPage) Prepare(context.Context, page.Selected) (page.Items, []page.Read, error) {
	return p.readItems, withoutHole(p.Snapshot, p.partial), nil
}

// withoutHole returns the read that requires that no blocks are missing, unless a partial result is
// accepted.
func withoutHole(s *read.Snapshot, partial bool) []page.Read {
	if partial {
		return nil
	}
	return append(make([]page.Read, 0, 4), func(ctx context.Context) error { return read.RequireNoHole(ctx, s) })
}

func (p *tokenPage) readItems(ctx context.Context, _ bool) ([]page.Read, error) {
	from, to := keyOf(p.After, []byte{}), keyOf(p.Before, afterAllTokens)
	if p.Backward {
		from, to = to, from
	}
	key := query.Key{Name: "page of tokens of a collection", FromHigh: p.Backward}
	args := []any{p.of.contractID, from, p.Size + 1, to}
	var items []*Token
	err := tokensIn(ctx, p.Snapshot, key, p.Size+1, func(b *entsql.Builder) { query.WriteTokens(b, p.Backward, args) }, args, func(n int64, id evm.Uint256, found *latest) {
		key := nft.TokenKey{Contract: p.of.Address, TokenID: id}
		items = append(items, &Token{TokenKey: key, Type: found.typ, Latest: found.kind, Subject: Subject{contractID: n, tokenID: &key.TokenID, known: found.known}})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(items, func(a, b *Token) int { return a.TokenID.Cmp(b.TokenID) })
	if p.Backward {
		slices.Reverse(items)
	}
	p.Take(items)
	return nil, nil
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
			query.WriteNeighbour(b, !follows, args)
		})
	}, args, func(row *database.Row) error {
		found = !row.Null()
		return nil
	})
	return found, database.Wrap(err, "looking beyond a page of tokens")
}
