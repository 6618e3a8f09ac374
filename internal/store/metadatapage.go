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

// metadataPage is one page of a collection's token metadata, by token id.
type metadataPage struct {
	page.Page[*document.TokenMetadata]
	address    evm.Address
	contractID int64
	known      bool
	// tokenID selects one token, nil all. one is that token, nil if it was never tried.
	tokenID *evm.Uint256
	one     *document.TokenMetadata
	// traits select tokens, with is what they select; nil for all.
	traits []TraitFilter
	with   *facet.Selection
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
	p := &metadataPage{address: address, tokenID: tokenID, traits: traits, texts: texts}
	err := page.Begin(&p.AnyPage, s.Snapshot, p, args)
	if err == nil && len(traits) > 0 {
		err = facet.Check(traits)
	}
	if err != nil {
		return nil, err
	}
	if tokenID != nil && len(traits) > 0 {
		return nil, apierror.Errorf(apierror.BadUserInput, "tokenId and traits can't be combined: want one of them")
	}
	list := append([]byte("tokens"), address[:]...)
	if tokenID != nil {
		list = append(list, tokenID.Bytes()...)
	}
	if len(traits) > 0 {
		list = facet.Describe(list, traits)
	}
	return &p.Page, p.BelongTo(cursor.Fingerprint(list))
}

// ReadPage implements [page.List].
func (p *metadataPage) ReadPage(ctx context.Context, also page.Selected, alone bool) (err error) {
	if p.contractID, p.known, err = read.ContractID(ctx, p.Snapshot, p.address); err != nil {
		return err
	}
	switch {
	case !p.known:
		return read.RequireContract(ctx, p.Snapshot, p.address)
	case p.tokenID != nil:
		return p.readOne(ctx, nft.TokenKey{Contract: p.address, TokenID: *p.tokenID})
	}
	if len(p.traits) > 0 {
		if p.with, err = facet.Select(ctx, p.Snapshot, p.contractID, p.traits); err == nil {
			err = p.readSelected(ctx)
		}
		return err
	}
	reads := []func(context.Context) error{func(ctx context.Context) error {
		err := p.readMany(ctx, also, alone)
		if errors.Is(err, database.ErrNotAlone) {
			err = p.readMany(ctx, also, false)
		}
		return err
	}}
	if also.Total {
		reads = append(reads, func(ctx context.Context) error { _, _ = p.Total(ctx); return nil })
	}
	return page.Together(ctx, &p.AnyPage, reads)
}

// readOne reads the page of one token.
func (p *metadataPage) readOne(ctx context.Context, key nft.TokenKey) error {
	found, err := document.Of(ctx, p.Snapshot, []nft.TokenKey{key}, p.texts, "")
	if err != nil {
		return err
	}
	if p.one = found[key]; p.one == nil {
		return nil
	}
	id := p.one.TokenID.Bytes()
	if p.After != nil && bytes.Compare(id, p.After.Key) <= 0 || p.Before != nil && bytes.Compare(id, p.Before.Key) >= 0 {
		return nil
	}
	p.Take([]*document.TokenMetadata{p.one})
	return nil
}

// readSelected reads a page of the tokens that the traits select.
func (p *metadataPage) readSelected(ctx context.Context) error {
	op, key := entsql.OpGT, keyOf(p.After, []byte{})
	if p.Before != nil || p.Backward && p.After == nil {
		op, key = entsql.OpLT, keyOf(p.Before, afterAllTokens)
	}
	ids, err := p.with.Find(ctx, op, key, p.Backward, p.Size+1)
	if err != nil {
		return err
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
			return errors.New("internal error: the index of traits has a damaged token id")
		}
	}
	found, err := document.Of(ctx, p.Snapshot, keys, p.texts, cursor.Argument(&p.Bounds))
	if err != nil {
		return err
	}
	for i, key := range keys {
		if items[i] = found[key]; items[i] == nil {
			return errors.New("internal error: the index of traits has a token without a document")
		}
	}
	p.Set(items)
	return nil
}

// readMany reads a page of a collection. alone means that few pages need more than the
// first statement.
func (p *metadataPage) readMany(ctx context.Context, also page.Selected, alone bool) error {
	key := query.Key{Name: "page of tokens", Low: p.After != nil, High: p.Before != nil, FromHigh: p.Backward, Limit: p.Size, Texts: uint32(p.texts)}
	args := []any{p.contractID}
	if c := p.Given(); c != nil {
		args = append(args, c.Key)
	}
	read, more, err := document.Read(ctx, p.Snapshot, p.Snapshot.DB.Statement(key, p.selector), args, p.Size, p.texts, alone)
	if err != nil {
		return err
	}
	items := read
	if p.Backward {
		items = slices.Clone(read)
		slices.Reverse(items)
	}
	p.Set(items)
	p.More = more
	complete := func(ctx context.Context) error {
		return document.ReadTexts(ctx, p.Snapshot, read, read, p.texts, cursor.Argument(&p.Bounds))
	}
	return page.Together(ctx, &p.AnyPage, append(page.Neighbours(&p.AnyPage, also), complete))
}

// selector builds the statement of readMany.
func (p *metadataPage) selector(client *ent.Client) entsql.Querier {
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

// Key implements [page.List].
func (p *metadataPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.PrecedingToken(&p.Bounds)
	}
	return cursor.Key{TokenID: p.Items[i].TokenID.Bytes()}, nil
}

// Count implements [page.List].
func (p *metadataPage) Count(ctx context.Context) (int64, error) {
	switch {
	case !p.known, p.tokenID != nil && p.one == nil:
		return 0, nil
	case p.tokenID != nil:
		return 1, nil
	case p.with != nil:
		return p.with.Count(ctx)
	}
	var row ent.Contract
	_, err := p.Snapshot.Last(ctx, query.Key{Name: "number of tokens"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.ID(p.contractID)).Select(contract.FieldTokens).Selector()
	}, []any{p.contractID}, func(r *database.Row) error { return row.ReadRow(r, contract.FieldTokens) })
	return row.Tokens, database.Wrap(err, "totalling token metadata")
}

// Exists implements [page.List].
func (p *metadataPage) Exists(ctx context.Context, follows bool, bound *cursor.Cursor) (bool, error) {
	switch {
	case !p.known, p.tokenID != nil && (len(p.Items) > 0 || p.one == nil):
		return false, nil
	case p.tokenID != nil:
		order := bytes.Compare(p.one.TokenID.Bytes(), bound.Key)
		return order == 0 || follows == (order > 0), nil
	}
	compare, key := entsql.OpLTE, bound.Key
	if follows {
		compare = entsql.OpGTE
	}
	if n := len(p.Items); n > 0 {
		compare, key = entsql.OpLT, p.Items[0].TokenID.Bytes()
		if follows {
			compare, key = entsql.OpGT, p.Items[n-1].TokenID.Bytes()
		}
	}
	if p.with != nil {
		ids, err := p.with.Find(ctx, compare, key, false, 1)
		return len(ids) > 0, err
	}
	found, err := p.Snapshot.Last(ctx, query.Key{Name: fmt.Sprint("token ", compare)}, func(client *ent.Client) entsql.Querier {
		// The order makes PostgreSQL use the index.
		return client.Token.Query().Where(token.ContractID(p.contractID), document.CompareTokenID(compare, key)).
			Order(document.ByTokenID(entsql.OrderAsc())).Limit(1).Select(token.FieldID).Selector()
	}, []any{p.contractID, key}, read.Ignored)
	return found, database.Wrap(err, "looking beyond a page of token metadata")
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
