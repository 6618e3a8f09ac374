package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// MetadataPage is one page of a collection's token metadata, by token id.
// [MetadataPage.Read] reads it; before that only its limit and number are set. Its
// methods may read from the snapshot that created it, which must be open.
type MetadataPage struct {
	// Items are the tokens, by numeric token id.
	Items []*TokenMetadata
	pageBounds
	snapshot   *Snapshot
	address    evm.Address
	contractID int64
	known      bool
	// tokenID selects one token, nil all. one is that token, nil if it was never tried.
	tokenID *evm.Uint256
	one     *TokenMetadata
	// texts are the texts to read of each token.
	texts Texts

	reading once[struct{}]
	total   once[int64]
	beyond  [2]once[bool] // before the page, and after it
}

// MetadataPage returns a page of the metadata, with these texts, of the tokens of a
// collection that have a document. With tokenID it is the page of that token, which may
// have no document if fetching it failed. [MetadataPage.Read] reads the page; MetadataPage
// only checks the arguments and reads nothing. Its errors are of type [nft.Error] with the
// code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) MetadataPage(address evm.Address, tokenID *evm.Uint256, args PageArgs, texts Texts) (*MetadataPage, error) {
	bounds, err := args.bounds(s.store.maxPageSize)
	if err != nil {
		return nil, err
	}
	p := &MetadataPage{pageBounds: bounds, snapshot: s, address: address, tokenID: tokenID, texts: texts}
	return p, p.belongTo(metadataFingerprint(address, tokenID))
}

// Read reads the page once; later calls return the result of the first. It is safe
// for concurrent use. If that saves round trips, it also reads the fields that
// selected returns; selected may be nil. Besides internal errors it returns an
// [nft.Error] with the code NOT_FOUND, or QUERY_TOO_COSTLY for texts that do not fit
// the snapshot's bound.
func (p *MetadataPage) Read(ctx context.Context, selected func(context.Context) Selected) error {
	_, err := p.reading.get(func() (none struct{}, err error) { return none, p.read(ctx, selected) })
	return err
}

func (p *MetadataPage) read(ctx context.Context, selected func(context.Context) Selected) (err error) {
	if p.contractID, p.known, err = contractID(ctx, p.snapshot, p.address); err != nil {
		return err
	}
	switch {
	case !p.known:
		return requireContract(ctx, p.snapshot, p.address)
	case p.tokenID != nil:
		return p.readOne(ctx, nft.TokenKey{Contract: p.address, TokenID: *p.tokenID})
	}
	var also Selected
	alone := false
	if selected != nil && p.snapshot.db.Gathers() {
		also = selected(ctx)
		// Without a cursor nothing has to be read beyond the page.
		alone = p.given() == nil && !also.Total
	}
	return p.snapshot.db.Together(ctx, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			err := p.readMany(ctx, also, alone)
			if errors.Is(err, database.ErrNotAlone) {
				err = p.readMany(ctx, also, false)
			}
			return err
		}
		if also.Total {
			_, _ = p.Total(ctx)
		}
		return nil
	})
}

// readOne reads the page of one token.
func (p *MetadataPage) readOne(ctx context.Context, key nft.TokenKey) error {
	found, err := p.snapshot.MetadataOf(ctx, []nft.TokenKey{key}, p.texts)
	if err != nil {
		return err
	}
	if p.one = found[key]; p.one == nil {
		return nil
	}
	id := p.one.TokenID.Bytes()
	if p.after != nil && bytes.Compare(id, p.after.key) <= 0 || p.before != nil && bytes.Compare(id, p.before.key) >= 0 {
		return nil
	}
	if p.limit == 0 {
		p.more = true
		return nil
	}
	p.Items = []*TokenMetadata{p.one}
	return nil
}

// readMany reads a page of a collection. alone means that few pages need more than the
// first statement.
func (p *MetadataPage) readMany(ctx context.Context, also Selected, alone bool) (err error) {
	key := statementKey{name: "page of tokens", low: p.after != nil, high: p.before != nil, fromHigh: p.backward, limit: p.limit, texts: p.texts}
	args := []any{p.contractID}
	if c := p.given(); c != nil {
		args = append(args, c.key)
	}
	if p.Items, p.more, err = readMetadata(ctx, p.snapshot, p.snapshot.store.statement(key, p.selector), args, p.limit, p.texts, alone); err != nil {
		return err
	}
	read := p.Items
	if p.backward {
		p.Items = slices.Clone(read)
		slices.Reverse(p.Items)
	}
	return p.snapshot.db.Together(ctx, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			return readTexts(ctx, p.snapshot, read, read, p.texts, p.argument())
		}
		readNeighbours(ctx, p.snapshot, p, also)
		return nil
	})
}

// selector builds the statement of readMany.
func (p *MetadataPage) selector(client *ent.Client) entsql.Querier {
	where := []predicate.Token{token.ContractID(p.contractID)}
	if p.after != nil {
		where = append(where, compareTokenID(entsql.OpGT, p.after.key))
	}
	if p.before != nil {
		where = append(where, compareTokenID(entsql.OpLT, p.before.key))
	}
	order := entsql.OrderAsc()
	if p.backward {
		order = entsql.OrderDesc()
	}
	return selectMetadata(client.Token.Query().Where(where...).Order(byTokenID(order)).Limit(p.limit+1), p.texts)
}

// byTokenID orders by token id. ent generates no function for it, because the column
// has a Go type of its own.
func byTokenID(direction entsql.OrderTermOption) token.OrderOption {
	return entsql.OrderByField(token.FieldTokenID, direction).ToFunc()
}

// compareTokenID compares token ids with the key of a cursor, which may be another
// value than a token id.
func compareTokenID(op entsql.Op, key []byte) predicate.Token {
	return func(s *entsql.Selector) {
		name := s.C(token.FieldTokenID)
		s.Where(entsql.P(func(b *entsql.Builder) { b.WriteString(name).WriteOp(op).Arg(key) }))
	}
}

func metadataFingerprint(address evm.Address, tokenID *evm.Uint256) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(append([]byte("tokens"), address[:]...))
	if tokenID != nil {
		_, _ = h.Write(tokenID.Bytes())
	}
	return h.Sum64()
}

// Total returns the exact number of items over all pages.
func (p *MetadataPage) Total(ctx context.Context) (int64, error) {
	if !p.known {
		return 0, nil
	}
	if p.tokenID != nil {
		if p.one == nil {
			return 0, nil
		}
		return 1, nil
	}
	return p.total.get(func() (int64, error) {
		var row ent.Contract
		_, err := p.snapshot.last(ctx, statementKey{name: "number of tokens"}, func(client *ent.Client) entsql.Querier {
			return client.Contract.Query().Where(contract.ID(p.contractID)).Select(contract.FieldTokens).Selector()
		}, []any{p.contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokens) })
		return row.Tokens, database.Wrap(err, "totalling token metadata")
	})
}

// Len returns the number of items.
func (p *MetadataPage) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *MetadataPage) AppendCursorAt(b []byte, i int) []byte { return p.AppendCursor(b, p.Items[i]) }

// Cursor returns the cursor of an item of the page.
func (p *MetadataPage) Cursor(item *TokenMetadata) string { return string(p.AppendCursor(nil, item)) }

// AppendCursor appends the cursor of an item of the page.
func (p *MetadataPage) AppendCursor(b []byte, item *TokenMetadata) []byte {
	return p.cursorAt(item.TokenID.Bytes()).append(b)
}

// NextCursor returns the cursor of the next page, or nil when there is none.
func (p *MetadataPage) NextCursor(ctx context.Context) (*string, error) {
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
func (p *MetadataPage) HasNextPage(ctx context.Context) (bool, error) { return p.continues(ctx, true) }

// HasPreviousPage reports whether tokens precede the page.
func (p *MetadataPage) HasPreviousPage(ctx context.Context) (bool, error) {
	return p.continues(ctx, false)
}

// continues reports whether a token exists after the page, or before it.
func (p *MetadataPage) continues(ctx context.Context, follows bool) (bool, error) {
	bound, more := p.side(follows)
	if more || bound == nil || !p.known {
		return more, nil
	}
	if p.tokenID != nil {
		if len(p.Items) > 0 || p.one == nil {
			return false, nil
		}
		order := bytes.Compare(p.one.TokenID.Bytes(), bound.key)
		return order == 0 || follows == (order > 0), nil
	}
	side := &p.beyond[0]
	if follows {
		side = &p.beyond[1]
	}
	return side.get(func() (bool, error) { return p.exists(ctx, follows, bound) })
}

// exists reports whether a token exists after the page, or before it. bound is the cursor
// on that side.
func (p *MetadataPage) exists(ctx context.Context, follows bool, bound *cursor) (bool, error) {
	compare, key := entsql.OpLTE, bound.key
	if follows {
		compare = entsql.OpGTE
	}
	if n := len(p.Items); n > 0 {
		compare, key = entsql.OpLT, p.Items[0].TokenID.Bytes()
		if follows {
			compare, key = entsql.OpGT, p.Items[n-1].TokenID.Bytes()
		}
	}
	found, err := p.snapshot.last(ctx, statementKey{name: fmt.Sprint("token ", compare)}, func(client *ent.Client) entsql.Querier {
		// The order makes PostgreSQL use the index.
		return client.Token.Query().Where(token.ContractID(p.contractID), compareTokenID(compare, key)).
			Order(byTokenID(entsql.OrderAsc())).Limit(1).Select(token.FieldID).Selector()
	}, []any{p.contractID, key}, ignored)
	return found, database.Wrap(err, "looking beyond a page of token metadata")
}
