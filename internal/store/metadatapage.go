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
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/document"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
)

// metadataPage is one page of a collection's token metadata, by token id: of all tokens, of those that
// traits select, or of one.
type metadataPage struct {
	page.Page[*document.TokenMetadata]
	address    evm.Address
	contractID int64
	// texts are the texts to read of each token.
	texts read.Texts
}

// MetadataPage returns a page of the metadata, with these texts, of the tokens of a
// collection that have a document, by token id. With tokenID it is the page of that token,
// which may have no document if fetching it failed; with traits, of the tokens that all of
// these select. [page.AnyPage.Read] reads the page; MetadataPage only checks the arguments and reads
// nothing. Its errors are of type [apierror.Error] with the code BAD_USER_INPUT or
// INVALID_CURSOR; those of Read may also have the code NOT_FOUND, or QUERY_TOO_COSTLY for texts
// that do not fit the snapshot's bound and for traits that select too many tokens.
func (s *Snapshot) MetadataPage(address evm.Address, tokenID *evm.Uint256, args page.Args, texts read.Texts, traits ...TraitFilter) (*page.Page[*document.TokenMetadata], error) {
	p := &metadataPage{address: address, texts: texts}
	var list page.List = &allTokensPage{p}
	of := append([]byte("tokens"), address[:]...)
	switch {
	case tokenID != nil:
		list, of = &oneTokenPage{p, *tokenID}, append(of, tokenID.Bytes()...)
	case len(traits) > 0:
		list, of = &traitTokensPage{metadataPage: p, traits: traits}, facet.Describe(of, traits)
	}
	if err := page.Begin(&p.AnyPage, s.Snapshot, list, args); err != nil {
		return nil, err
	}
	if err := facet.Check(traits); err != nil {
		return nil, err
	}
	if tokenID != nil && len(traits) > 0 {
		return nil, apierror.Errorf(apierror.BadUserInput, "tokenId and traits can't be combined: want one of them")
	}
	return &p.Page, p.BelongTo(cursor.Fingerprint(of))
}

// find looks up the collection, and returns items, or nil if it is unknown and all blocks are indexed.
func (p *metadataPage) find(ctx context.Context, items page.Items) (page.Items, []page.Read, error) {
	id, known, err := read.ContractID(ctx, p.Snapshot, p.address)
	if err == nil && !known {
		return nil, nil, read.RequireContract(ctx, p.Snapshot, p.address)
	}
	p.contractID = id
	return items, nil, err
}

// Key implements [page.List].
func (p *metadataPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.PrecedingToken(&p.Bounds)
	}
	return cursor.Key{TokenID: p.Items[i].TokenID.Bytes()}, nil
}

// beyond returns the comparison and the token id that the tokens after the page satisfy, or those
// before it. bound is the cursor on that side.
func (p *metadataPage) beyond(follows bool, bound *cursor.Cursor) (entsql.Op, []byte) {
	n := len(p.Items)
	switch {
	case n > 0 && follows:
		return entsql.OpGT, p.Items[n-1].TokenID.Bytes()
	case n > 0:
		return entsql.OpLT, p.Items[0].TokenID.Bytes()
	case follows:
		return entsql.OpGTE, bound.Key
	default:
		return entsql.OpLTE, bound.Key
	}
}

// allTokensPage is a page of all tokens that have a document.
type allTokensPage struct{ *metadataPage }

// Prepare implements [page.List].
func (p *allTokensPage) Prepare(ctx context.Context, _ page.Selected) (page.Items, []page.Read, error) {
	return p.find(ctx, p.readItems)
}

func (p *allTokensPage) readItems(ctx context.Context, alone bool) ([]page.Read, error) {
	key := query.Key{Name: "page of tokens", Low: p.After != nil, High: p.Before != nil, FromHigh: p.Backward, Limit: p.Size, Texts: uint32(p.texts)}
	args := []any{p.contractID}
	if c := p.Given(); c != nil {
		args = append(args, c.Key)
	}
	read, more, err := document.Read(ctx, p.Snapshot, p.Snapshot.DB.Statement(key, p.selector), args, p.Size, p.texts, alone)
	if err != nil {
		return nil, err
	}
	items := read
	if p.Backward {
		items = slices.Clone(read)
		slices.Reverse(items)
	}
	p.Set(items)
	p.More = more
	return []page.Read{func(ctx context.Context) error {
		return document.ReadTexts(ctx, p.Snapshot, read, read, p.texts, cursor.Argument(&p.Bounds))
	}}, nil
}

// selector builds the statement of a page.
func (p *allTokensPage) selector(client *ent.Client) entsql.Querier {
	where := []predicate.Token{token.ContractID(p.contractID)}
	if p.After != nil {
		where = append(where, document.CompareTokenID(entsql.OpGT, p.After.Key))
	}
	if p.Before != nil {
		where = append(where, document.CompareTokenID(entsql.OpLT, p.Before.Key))
	}
	order := entsql.OrderAsc()
	if p.Backward {
		order = entsql.OrderDesc()
	}
	return document.Select(client.Token.Query().Where(where...).Order(document.ByTokenID(order)).Limit(p.Size+1), p.texts)
}

// Count implements [page.List].
func (p *allTokensPage) Count(ctx context.Context) (int64, error) {
	var row ent.Contract
	_, err := p.Snapshot.Last(ctx, query.Key{Name: "number of tokens"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(p.contractID)).Select(contract.FieldTokens).Selector()
	}, []any{p.contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokens) })
	return row.Tokens, database.Wrap(err, "totalling token metadata")
}

// Exists implements [page.List].
func (p *allTokensPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error) {
	compare, key := p.beyond(follows, bound)
	found, err := p.Snapshot.Last(ctx, query.Key{Name: fmt.Sprint("token ", compare)}, func(client *ent.Client) entsql.Querier {
		// The order makes PostgreSQL use the index.
		return client.Token.Query().Where(token.ContractID(p.contractID), document.CompareTokenID(compare, key)).
			Order(document.ByTokenID(entsql.OrderAsc())).Limit(1).Select(token.FieldID).Selector()
	}, []any{p.contractID, key}, read.Ignored)
	return found, database.Wrap(err, "looking beyond a page of token metadata")
}

// oneTokenPage is the page of one token.
type oneTokenPage struct {
	*metadataPage
	tokenID evm.Uint256
}

// one returns the token, or nil if it was never tried.
func (p *oneTokenPage) one(ctx context.Context) (*document.TokenMetadata, error) {
	return database.Shared(ctx, p.Snapshot.Tx, p, func(ctx context.Context) (*document.TokenMetadata, error) {
		key := nft.TokenKey{Contract: p.address, TokenID: p.tokenID}
		found, err := document.Of(ctx, p.Snapshot, []nft.TokenKey{key}, p.texts, "")
		return found[key], err
	})
}

// Prepare implements [page.List].
func (p *oneTokenPage) Prepare(ctx context.Context, _ page.Selected) (page.Items, []page.Read, error) {
	return p.find(ctx, p.readItems)
}

func (p *oneTokenPage) readItems(ctx context.Context, _ bool) ([]page.Read, error) {
	one, err := p.one(ctx)
	if err != nil || one == nil {
		return nil, err
	}
	id := p.tokenID.Bytes()
	if p.After != nil && bytes.Compare(id, p.After.Key) <= 0 || p.Before != nil && bytes.Compare(id, p.Before.Key) >= 0 {
		return nil, nil
	}
	p.Take([]*document.TokenMetadata{one})
	return nil, nil
}

// Count implements [page.List].
func (p *oneTokenPage) Count(ctx context.Context) (n int64, err error) {
	one, err := p.one(ctx)
	if one != nil {
		n = 1
	}
	return n, err
}

// Exists implements [page.List].
func (p *oneTokenPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error) {
	one, err := p.one(ctx)
	if err != nil || one == nil || len(p.Items) > 0 {
		return false, err
	}
	order := bytes.Compare(p.tokenID.Bytes(), bound.Key)
	return order == 0 || follows == (order > 0), nil
}

// traitTokensPage is a page of the tokens that all of some traits select.
type traitTokensPage struct {
	*metadataPage
	traits   []TraitFilter
	selected *facet.Selection
}

// Prepare implements [page.List].
func (p *traitTokensPage) Prepare(ctx context.Context, _ page.Selected) (items page.Items, beside []page.Read, err error) {
	if items, beside, err = p.find(ctx, p.readItems); err == nil && items != nil {
		p.selected, err = facet.Select(ctx, p.Snapshot, p.contractID, p.traits)
	}
	return items, beside, err
}

func (p *traitTokensPage) readItems(ctx context.Context, _ bool) ([]page.Read, error) {
	op, key := entsql.OpGT, keyOf(p.After, []byte{})
	if p.Before != nil || p.Backward && p.After == nil {
		op, key = entsql.OpLT, keyOf(p.Before, afterAllTokens)
	}
	ids, err := p.selected.Find(ctx, op, key, p.Backward, p.Size+1)
	if err != nil {
		return nil, err
	}
	if p.More = len(ids) > p.Size; p.More {
		ids = ids[:p.Size]
	}
	if p.Backward {
		slices.Reverse(ids)
	}
	keys, items := make([]nft.TokenKey, len(ids)), make([]*document.TokenMetadata, len(ids))
	for i, id := range ids {
		if keys[i].Contract = p.address; keys[i].TokenID.Scan(id) != nil {
			return nil, errors.New("internal error: the index of traits has a damaged token id")
		}
	}
	found, err := document.Of(ctx, p.Snapshot, keys, p.texts, cursor.Argument(&p.Bounds))
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		if items[i] = found[key]; items[i] == nil {
			return nil, errors.New("internal error: the index of traits has a token without a document")
		}
	}
	p.Set(items)
	return nil, nil
}

// Count implements [page.List].
func (p *traitTokensPage) Count(ctx context.Context) (int64, error) { return p.selected.Count(ctx) }

// Exists implements [page.List].
func (p *traitTokensPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error) {
	compare, key := p.beyond(follows, bound)
	ids, err := p.selected.Find(ctx, compare, key, false, 1)
	return len(ids) > 0, err
}

// TokenMetadata is the metadata of one token.
type TokenMetadata = document.TokenMetadata

// Attribute is one trait of a token.
type Attribute = document.Attribute

// MetadataOf returns the metadata of tokens: the document with these texts, or why it
// could not be fetched. Tokens that were never tried are absent. Texts that do not fit
// the snapshot's bound are an [apierror.Error] with the code QUERY_TOO_COSTLY.
func (s *Snapshot) MetadataOf(ctx context.Context, keys []nft.TokenKey, texts read.Texts) (map[nft.TokenKey]*document.TokenMetadata, error) {
	return document.Of(ctx, s.Snapshot, keys, texts, "")
}

// Version is a document of a token, the present one or an earlier one.
type Version = document.Version

// VersionsOf returns a page of the documents of each token, see [document.Versions].
func (s *Snapshot) VersionsOf(ctx context.Context, of []*TokenMetadata, texts read.Texts, args page.Args) (pages []*page.Page[*Version], errs []error, err error) {
	return document.Versions(ctx, s.Snapshot, of, texts, args)
}
