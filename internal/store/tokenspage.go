package store

import (
	"bytes"
	"context"
	"hash/fnv"
	"slices"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// TokenPage is one page of the tokens of a collection that have a mint or burn, by token id.
// [TokenPage.Read] reads it; before that only its limit and number are set. Its methods may
// read from the snapshot that created it, which must be open.
type TokenPage struct {
	// Items are the tokens, by numeric token id.
	Items []*Token
	pageBounds
	snapshot *Snapshot
	of       *Collection
	partial  bool

	reading once[struct{}]
	total   once[int64]
	beyond  [2]once[bool] // before the page, and after it
}

// Tokens returns a page of the tokens of a collection; [TokenPage.Read] reads it. Tokens only
// checks the arguments and reads nothing. Its errors are of type [nft.Error] with the code
// BAD_USER_INPUT or INVALID_CURSOR. partial accepts a result from the indexed blocks that
// missing blocks might change.
func (s *Snapshot) Tokens(of *Collection, partial bool, args PageArgs) (*TokenPage, error) {
	bounds, err := args.bounds(s.store.maxPageSize)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write(append([]byte("tokens of"), of.Address[:]...))
	p := &TokenPage{pageBounds: bounds, snapshot: s, of: of, partial: partial}
	return p, p.belongTo(h.Sum64())
}

// Read reads the page once; later calls return the result of the first. It is safe for
// concurrent use. If that saves round trips, it also reads the fields that selected
// returns; selected may be nil. Besides internal errors it returns an [nft.Error] with the
// code BLOCK_NOT_INDEXED.
func (p *TokenPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) { return none, p.read(ctx, selected) })
	return err
}

func (p *TokenPage) read(ctx context.Context, selected func(context.Context) Selected) error {
	var also Selected
	if selected != nil && p.snapshot.db.Gathers() {
		also = selected(ctx)
	}
	return p.snapshot.db.Together(ctx, 3, func(ctx context.Context, i int) error {
		switch {
		case i == 0 && !p.partial:
			return requireNoHole(ctx, p.snapshot)
		case i == 1:
			if err := p.readItems(ctx); err != nil {
				return err
			}
			readNeighbours(ctx, p.snapshot, p, also)
		case i == 2 && also.Total:
			_, _ = p.Total(ctx)
		}
		return nil
	})
}

func (p *TokenPage) readItems(ctx context.Context) error {
	from, to := keyOf(p.after, []byte{}), keyOf(p.before, afterAllTokens)
	if p.backward {
		from, to = to, from
	}
	l := &list{name: "tokens"}
	key := statementKey{name: "page of tokens of a collection", fromHigh: p.backward}
	args := []any{p.of.contractID, from, p.limit + 1, to}
	err := latestOf(ctx, p.snapshot, key, l, func(b *entsql.Builder) { writeTokens(b, p.backward, args) }, args, func(n int64, id evm.Uint256, found latest) {
		key := nft.TokenKey{Contract: p.of.Address, TokenID: id}
		p.Items = append(p.Items, &Token{TokenKey: key, Type: found.typ, Latest: found.kind, Subject: Subject{n, &key.TokenID}})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(p.Items, func(a, b *Token) int { return a.TokenID.Cmp(b.TokenID) })
	if p.more = len(p.Items) > p.limit; !p.more {
		return nil
	}
	if p.backward {
		p.Items = p.Items[1:]
	} else {
		p.Items = p.Items[:p.limit]
	}
	return nil
}

// afterAllTokens sorts after every token id, whose first byte is its length.
var afterAllTokens = []byte{0xff}

// keyOf returns the key of a cursor, or none if c is nil.
func keyOf(c *cursor, none []byte) []byte {
	if c == nil {
		return none
	}
	return c.key
}

// Total returns the exact number of tokens over all pages.
func (p *TokenPage) Total(ctx context.Context) (int64, error) {
	return p.total.get(func() (int64, error) { return tokenCount(ctx, p.snapshot, p.of.contractID) })
}

// Indexed returns the indexed ranges of blocks that the tokens come from, in order.
func (p *TokenPage) Indexed(ctx context.Context) ([]Range, error) { return p.snapshot.Indexed(ctx) }

// Len returns the number of items.
func (p *TokenPage) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *TokenPage) AppendCursorAt(b []byte, i int) []byte {
	return p.cursorAt(p.Items[i].TokenID.Bytes()).append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none.
func (p *TokenPage) NextCursor(ctx context.Context) (*string, error) {
	next, err := p.HasNextPage(ctx)
	if err != nil || !next {
		return nil, err
	}
	var key []byte
	if n := len(p.Items); n > 0 {
		key = p.Items[n-1].TokenID.Bytes()
	} else if key, err = p.precedingToken(); err != nil {
		return nil, err
	}
	text := p.cursorAt(key).String()
	return &text, nil
}

// HasNextPage reports whether tokens follow the page.
func (p *TokenPage) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether tokens precede the page.
func (p *TokenPage) HasPreviousPage(ctx context.Context) (bool, error) {
	return p.continues(ctx, false)
}

// continues reports whether a token exists after the page, or before it.
func (p *TokenPage) continues(ctx context.Context, follows bool) (bool, error) {
	bound, more := p.side(follows)
	if more || bound == nil {
		return more, nil
	}
	side := &p.beyond[0]
	if follows {
		side = &p.beyond[1]
	}
	return side.get(func() (bool, error) {
		key := bound.key
		switch n := len(p.Items); {
		case n > 0 && follows:
			key = p.Items[n-1].TokenID.Bytes()
		case n > 0:
			key = p.Items[0].TokenID.Bytes()
		case follows:
			var err error
			if key, err = p.precedingToken(); err != nil {
				return false, err
			}
		default:
			// Include the cursor's own token, which precedes an empty page.
			key = append(bytes.Clone(key), 0)
		}
		return p.exists(ctx, follows, key)
	})
}

// exists reports whether a token exists after a key, or before it.
func (p *TokenPage) exists(ctx context.Context, follows bool, key []byte) (found bool, err error) {
	args := []any{p.of.contractID, key}
	_, err = p.snapshot.last(ctx, statementKey{name: "token of a collection", fromHigh: !follows}, func(*ent.Client) entsql.Querier {
		return entsql.ExprFunc(func(b *entsql.Builder) {
			b.SetDialect(p.snapshot.store.db.Dialect())
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
