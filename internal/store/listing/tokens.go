package listing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// Token is a token with a mint or burn, with what the API answers about it.
type Token struct {
	*store.Token
	State store.TokenState
	// Minted, Burned and Supply are nil where the API has null or the error OUT_OF_RANGE.
	Minted, Burned, Supply *evm.Uint256
	// FirstMint, LastMint and LastBurn are nil if there is none.
	FirstMint, LastMint, LastBurn *store.Transfer
	// Metadata has the state of the document and no texts but its error; nil if none was tried.
	Metadata *document.TokenMetadata
}

// TokenFilter selects tokens.
type TokenFilter struct {
	// Address and Addresses select collections as in a [store.Filter]; nil does not filter.
	Address   *evm.Address
	Addresses []evm.Address
	// Partial accepts missing blocks.
	Partial bool
}

// Tokens returns at most limit tokens that have a mint or burn, after a cursor. They are ordered
// by collection, in the order in which the collections were first stored, then by token id. A
// token changes in place, so a cursor continues an export, but does not find later changes.
// Besides internal errors it returns an [apierror.Error] with the code BAD_USER_INPUT,
// INVALID_CURSOR, NOT_FOUND or BLOCK_NOT_INDEXED.
func (l Listings) Tokens(ctx context.Context, f TokenFilter, after *string, limit int) (*Rows[*Token], error) {
	// The results of one batch are of no use for the next.
	defer l.s.Tx.Forget()
	of := store.Filter{Address: f.Address, Addresses: f.Addresses, Partial: f.Partial}
	of.Sort()
	if err := of.Check(); err != nil {
		return nil, err
	}
	bounds, err := page.Args{First: &limit, After: after}.Bounds(l.s.DB.MaxPageSize())
	if err != nil {
		return nil, err
	}
	if err := bounds.BelongTo(cursor.Fingerprint(fmt.Appendf(nil, "tokens %x", of.Fingerprint(nil)))); err != nil {
		return nil, err
	}
	rows := &Rows[*Token]{Cursor: after}
	if _, _, rows.Indexed, err = store.RangeOf(ctx, l.s, of); err != nil {
		return nil, err
	}
	w := &tokenWalk{s: store.NewSnapshot(l.s), partial: f.Partial, limit: limit}
	if c := bounds.After; c != nil {
		if err := w.begin(ctx, c.Key); err != nil {
			return nil, err
		}
	}
	for rows.More = true; rows.More && len(w.found) < limit; {
		if rows.More, err = w.tokens(ctx, &of); err != nil {
			return nil, err
		}
	}
	if n := len(w.found); n > 0 {
		last := w.found[n-1].TokenKey
		text := bounds.CursorAt(append(last.Contract[:], last.TokenID.Bytes()...)).String()
		rows.Cursor = &text
	}
	rows.Items, err = w.describe(ctx)
	return rows, err
}

// tokenWalk reads one batch of tokens.
type tokenWalk struct {
	s       *store.Snapshot
	partial bool
	limit   int
	// first is the lowest number of the next collection. If it has this number, the walk begins
	// after the token id after, nil for its beginning.
	first int64
	after []byte
	found []*store.Token
}

// begin continues after the key of a cursor.
func (w *tokenWalk) begin(ctx context.Context, key []byte) (err error) {
	var address evm.Address
	known := false
	if n := copy(address[:], key); n == len(address) {
		if w.first, known, err = read.ContractID(ctx, w.s.Snapshot, address); err != nil {
			return err
		}
		w.after = key[n:]
	}
	if !known {
		return apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one of this database")
	}
	return nil
}

// tokens adds the tokens of the next collections, and reports whether there may be more.
func (w *tokenWalk) tokens(ctx context.Context, f *store.Filter) (more bool, err error) {
	var addresses []evm.Address
	switch {
	case f.Address != nil:
		addresses = []evm.Address{*f.Address}
	case f.Addresses != nil:
		addresses = f.Addresses
	default:
		addresses, err = w.next(ctx)
		more = len(addresses) == w.limit
	}
	if err != nil {
		return false, err
	}
	collections, err := w.s.Subjects().CollectionsOf(ctx, addresses)
	if err != nil {
		return false, err
	}
	ids, err := read.ContractIDs(ctx, w.s.Snapshot, addresses)
	if err != nil {
		return false, err
	}
	collections = slices.DeleteFunc(collections, func(c *store.Collection) bool { return c == nil || ids[c.Address] < w.first })
	slices.SortFunc(collections, func(a, b *store.Collection) int { return cmp.Compare(ids[a.Address], ids[b.Address]) })
	for _, c := range collections {
		size := w.limit - len(w.found)
		if size == 0 {
			return true, nil
		}
		p, err := w.s.Tokens(c, w.partial, page.Args{First: &size})
		if err != nil {
			return false, err
		}
		if ids[c.Address] == w.first && w.after != nil {
			p.After = &cursor.Cursor{Key: w.after}
		}
		if err := p.Read(ctx, nil); err != nil {
			return false, err
		}
		if w.found = append(w.found, p.Items...); p.More {
			return true, nil
		}
		w.first, w.after = ids[c.Address]+1, nil
	}
	return more, nil
}

// next returns the next collections of all, at most limit.
func (w *tokenWalk) next(ctx context.Context) (addresses []evm.Address, err error) {
	_, err = w.s.Cached(ctx, query.Key{Name: "collections with tokens", Limit: w.limit}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.IDGTE(0), contract.FirstLogNotNil()).Order(contract.ByID()).Limit(w.limit).Select(contract.FieldAddress).Selector()
	}, []any{w.first}, func(row *database.Row) error {
		addresses = append(addresses, evm.Address{})
		return row.Values(&addresses[len(addresses)-1])
	})
	return addresses, database.Wrap(err, "reading collections")
}

// describe reads what the API answers about the tokens.
func (w *tokenWalk) describe(ctx context.Context) ([]*Token, error) {
	found := w.found
	items, subjects, keys := make([]*Token, len(found)), make([]*store.Subject, len(found)), make([]nft.TokenKey, len(found))
	for i, t := range found {
		items[i], subjects[i], keys[i] = &Token{Token: t}, t.AsSubject(), t.TokenKey
	}
	if len(found) == 0 {
		return items, nil
	}
	in := w.s.Subjects()
	amount := func(ctx context.Context, q store.Quantity, of func(*Token) **evm.Uint256) error {
		amounts, _, err := in.Amounts(ctx, q, subjects, nil)
		for i := range amounts {
			*of(items[i]) = amounts[i]
		}
		return err
	}
	record := func(ctx context.Context, kind nft.Kind, last bool, of func(*Token) **store.Transfer) error {
		p, at, err := in.RecordOf(ctx, kind, last, subjects)
		for i, n := range at {
			if n >= 0 {
				*of(items[i]) = &p.Items[n]
			}
		}
		return err
	}
	return items, w.s.Tx.Together(ctx, 8, func(ctx context.Context, i int) error {
		switch i {
		case 0:
			states, err := in.States(ctx, found)
			for i := range states {
				items[i].State = states[i]
			}
			return err
		case 1:
			return amount(ctx, store.Minted, func(t *Token) **evm.Uint256 { return &t.Minted })
		case 2:
			return amount(ctx, store.Burned, func(t *Token) **evm.Uint256 { return &t.Burned })
		case 3:
			return amount(ctx, store.Supply, func(t *Token) **evm.Uint256 { return &t.Supply })
		case 4:
			return record(ctx, nft.Mint, false, func(t *Token) **store.Transfer { return &t.FirstMint })
		case 5:
			return record(ctx, nft.Mint, true, func(t *Token) **store.Transfer { return &t.LastMint })
		case 6:
			return record(ctx, nft.Burn, true, func(t *Token) **store.Transfer { return &t.LastBurn })
		}
		documents, err := document.Of(ctx, w.s.Snapshot, keys, read.FetchState, "")
		for i := range items {
			items[i].Metadata = documents[keys[i]]
		}
		return err
	})
}
