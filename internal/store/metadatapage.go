package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// metadataPage is one page of a collection's token metadata, by token id.
type metadataPage struct {
	Page[*TokenMetadata]
	address    evm.Address
	contractID int64
	known      bool
	// tokenID selects one token, nil all. one is that token, nil if it was never tried.
	tokenID *evm.Uint256
	one     *TokenMetadata
	// texts are the texts to read of each token.
	texts Texts
}

// MetadataPage returns a page of the metadata, with these texts, of the tokens of a
// collection that have a document, by token id. With tokenID it is the page of that token,
// which may have no document if fetching it failed. [AnyPage.Read] reads the page;
// MetadataPage only checks the arguments and reads nothing. Its errors are of type
// [nft.Error] with the code BAD_USER_INPUT or INVALID_CURSOR; those of Read may also have the
// code NOT_FOUND, or QUERY_TOO_COSTLY for texts that do not fit the snapshot's bound.
func (s *Snapshot) MetadataPage(address evm.Address, tokenID *evm.Uint256, args PageArgs, texts Texts) (*Page[*TokenMetadata], error) {
	p := &metadataPage{address: address, tokenID: tokenID, texts: texts}
	if err := p.begin(s, p, args); err != nil {
		return nil, err
	}
	list := append([]byte("tokens"), address[:]...)
	if tokenID != nil {
		list = append(list, tokenID.Bytes()...)
	}
	return &p.Page, p.belongTo(fingerprintOf(list))
}

func (p *metadataPage) read(ctx context.Context, also Selected, alone bool) (err error) {
	if p.contractID, p.known, err = contractID(ctx, p.snapshot, p.address); err != nil {
		return err
	}
	switch {
	case !p.known:
		return requireContract(ctx, p.snapshot, p.address)
	case p.tokenID != nil:
		return p.readOne(ctx, nft.TokenKey{Contract: p.address, TokenID: *p.tokenID})
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
func (p *metadataPage) readOne(ctx context.Context, key nft.TokenKey) error {
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
	p.take([]*TokenMetadata{p.one})
	return nil
}

// readMany reads a page of a collection. alone means that few pages need more than the
// first statement.
func (p *metadataPage) readMany(ctx context.Context, also Selected, alone bool) error {
	key := statementKey{name: "page of tokens", low: p.after != nil, high: p.before != nil, fromHigh: p.backward, limit: p.limit, texts: p.texts}
	args := []any{p.contractID}
	if c := p.given(); c != nil {
		args = append(args, c.key)
	}
	read, more, err := readMetadata(ctx, p.snapshot, p.snapshot.store.statement(key, p.selector), args, p.limit, p.texts, alone)
	if err != nil {
		return err
	}
	items := read
	if p.backward {
		items = slices.Clone(read)
		slices.Reverse(items)
	}
	p.set(items)
	p.more = more
	complete := func(ctx context.Context) error {
		return readTexts(ctx, p.snapshot, read, read, p.texts, p.argument())
	}
	return p.together(ctx, append(p.neighbours(also), complete))
}

// selector builds the statement of readMany.
func (p *metadataPage) selector(client *ent.Client) entsql.Querier {
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

func (p *metadataPage) key(i int) (itemKey, error) {
	if i < 0 {
		return p.precedingToken()
	}
	return itemKey{tokenID: p.Items[i].TokenID.Bytes()}, nil
}

func (p *metadataPage) count(ctx context.Context) (int64, error) {
	switch {
	case !p.known, p.tokenID != nil && p.one == nil:
		return 0, nil
	case p.tokenID != nil:
		return 1, nil
	}
	var row ent.Contract
	_, err := p.snapshot.last(ctx, statementKey{name: "number of tokens"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(p.contractID)).Select(contract.FieldTokens).Selector()
	}, []any{p.contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokens) })
	return row.Tokens, database.Wrap(err, "totalling token metadata")
}

func (p *metadataPage) exists(ctx context.Context, follows bool, bound *cursor) (bool, error) {
	switch {
	case !p.known, p.tokenID != nil && (len(p.Items) > 0 || p.one == nil):
		return false, nil
	case p.tokenID != nil:
		order := bytes.Compare(p.one.TokenID.Bytes(), bound.key)
		return order == 0 || follows == (order > 0), nil
	}
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
