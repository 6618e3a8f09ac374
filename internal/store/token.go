package store

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/go-json-experiment/json"

	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// TokenPage is one page of a collection's token metadata, by token id.
// [TokenPage.Read] reads it; until then it has its limit and number only. Its
// methods may read from the snapshot that gave it, which must be open.
type TokenPage struct {
	// Items are the tokens, by numeric token id.
	Items []*nft.TokenMetadata
	pageBounds
	snapshot   *Snapshot
	address    evm.Address
	contractID int64
	known      bool
	// tokenID is the one token that was asked for, if one was, and one is what
	// is known of it, if anything is.
	tokenID *evm.Uint256
	one     *nft.TokenMetadata

	readOnce sync.Once
	readErr  error
}

// Tokens returns a page of the tokens of a collection that have a document, or
// of one token, which may have none if fetching it failed; [TokenPage.Read]
// reads it. Tokens checks everything that needs no data and reads nothing. Its
// errors are of type [nft.Error] with the code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) Tokens(address evm.Address, tokenID *evm.Uint256, args PageArgs) (*TokenPage, error) {
	bounds, err := args.bounds(s.store.opts.MaxPageSize)
	if err != nil {
		return nil, err
	}
	p := &TokenPage{pageBounds: bounds, snapshot: s, address: address, tokenID: tokenID}
	if err := p.belongTo(tokensFingerprint(address, tokenID)); err != nil {
		return nil, err
	}
	return p, nil
}

// Read reads the page, once: later calls return the result of the first one.
// It is safe for concurrent use. Besides internal errors it returns an
// [nft.Error] with the code NOT_FOUND.
func (p *TokenPage) Read(ctx context.Context) error {
	p.readOnce.Do(func() { p.readErr = p.read(ctx) })
	return p.readErr
}

func (p *TokenPage) read(ctx context.Context) (err error) {
	if p.contractID, p.known, err = p.snapshot.contractID(ctx, p.address); err != nil {
		return err
	}
	switch {
	case !p.known:
		return p.snapshot.requireContract(ctx, p.address)
	case p.tokenID != nil:
		return p.readOne(ctx, nft.TokenKey{Contract: p.address, TokenID: *p.tokenID})
	default:
		return p.readMany(ctx)
	}
}

// readOne reads the page of one token.
func (p *TokenPage) readOne(ctx context.Context, key nft.TokenKey) error {
	found, err := p.snapshot.MetadataOf(ctx, []nft.TokenKey{key})
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
	p.Items = []*nft.TokenMetadata{p.one}
	return nil
}

// readMany reads a page of a collection.
func (p *TokenPage) readMany(ctx context.Context) (err error) {
	s := p.snapshot
	of := shape{name: "page of tokens", low: p.after != nil, high: p.before != nil, fromHigh: p.backward, limit: p.limit}
	args := []any{p.contractID}
	if p.after != nil {
		args = append(args, p.after.key)
	}
	if p.before != nil {
		args = append(args, p.before.key)
	}
	if p.Items, p.more, err = s.tokens(ctx, s.store.texts.get(of, p.selector), args, p.limit); err != nil {
		return err
	}
	if p.backward {
		slices.Reverse(p.Items)
	}
	return s.countTraits(ctx, p.Items)
}

// selector builds the statement of readMany.
func (p *TokenPage) selector() entsql.Querier {
	selector, t := p.snapshot.selectTokens()
	selector.Where(entsql.EQ(t.C(token.FieldContractID), p.contractID))
	if p.after != nil {
		selector.Where(entsql.GT(t.C(token.FieldTokenID), p.after.key))
	}
	if p.before != nil {
		selector.Where(entsql.LT(t.C(token.FieldTokenID), p.before.key))
	}
	order := entsql.Asc(t.C(token.FieldTokenID))
	if p.backward {
		order = entsql.Desc(t.C(token.FieldTokenID))
	}
	return selector.OrderBy(order).Limit(p.limit + 1)
}

func tokensFingerprint(address evm.Address, tokenID *evm.Uint256) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(append([]byte("tokens"), address[:]...))
	if tokenID != nil {
		_, _ = h.Write(tokenID.Bytes())
	}
	return h.Sum64()
}

// selectTokens builds a statement for the rows that readToken reads.
func (s *Snapshot) selectTokens() (*entsql.Selector, *entsql.SelectTable) {
	t, c, r := s.builder().Table(token.Table), s.builder().Table(contract.Table), s.builder().Table(resolution.Table)
	selector := s.builder().Select().From(t).
		Join(c).On(t.C(token.FieldContractID), c.C(contract.FieldID)).
		LeftJoin(r).OnP(entsql.P(func(b *entsql.Builder) {
		// The sum keeps PostgreSQL from reading all tries of a collection, which
		// it takes for few, rather than those of the page.
		b.WriteString(r.C(resolution.FieldContractID) + " = " + t.C(token.FieldContractID) + " + 0 AND " +
			r.C(resolution.FieldTokenID) + " = " + t.C(token.FieldTokenID))
	}))
	return selector.Select(c.Columns(contract.FieldAddress, contract.FieldShapes)...).
		AppendSelect(t.Columns(token.FieldTokenID, token.FieldURI, token.FieldRaw, token.FieldFetchedAt, token.FieldUpdatedAt,
			token.FieldName, token.FieldDescription, token.FieldImage, token.FieldExternalURL, token.FieldImageData,
			token.FieldBackgroundColor, token.FieldYoutubeURL, token.FieldAnimationURL, token.FieldAttributes)...).
		AppendSelect(r.Columns(tryColumns...)...), t
}

// readToken reads one row of selectTokens.
func readToken(r *rowReader) (*nft.TokenMetadata, error) {
	m := &nft.TokenMetadata{State: nft.Resolved}
	r.scan(&m.Contract)
	shapes := r.integer()
	r.scan(&m.TokenID)
	m.URI, m.Raw = r.text(), r.text()
	m.FetchedAt, m.UpdatedAt = r.unsigned(1<<63-1), r.unsigned(1<<63-1)
	for _, to := range [...]**string{
		&m.Name, &m.Description, &m.Image, &m.ExternalURL, &m.ImageData, &m.BackgroundColor, &m.YoutubeURL, &m.AnimationURL,
	} {
		if !r.null() {
			text := r.text()
			*to = &text
		}
	}
	m.Type = typeOf(shapes, strings.Contains(m.URI, "{id}"))
	attributes := r.text()
	readTry(r, m)
	if r.err != nil {
		return nil, r.err
	}
	return m, json.Unmarshal([]byte(attributes), &m.Attributes)
}

// tokens runs a statement that selectTokens began. It returns at most limit
// items, and whether there were more.
func (s *Snapshot) tokens(ctx context.Context, text string, args []any, limit int) (items []*nft.TokenMetadata, more bool, err error) {
	err = s.queryText(ctx, text, args, func(r *rowReader) error {
		if len(items) == limit {
			more = true
			return nil
		}
		m, err := readToken(r)
		items = append(items, m)
		// A row has twenty values; the one after a page of one is half of them.
		r.counting = len(items) == limit
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("reading token metadata: %w", err)
	}
	return items, more, nil
}

// Total returns the exact number of items over all pages.
func (p *TokenPage) Total(ctx context.Context) (int64, error) {
	if !p.known {
		return 0, nil
	}
	if p.tokenID != nil {
		if p.one == nil {
			return 0, nil
		}
		return 1, nil
	}
	var n int64
	_, err := p.snapshot.fixed(ctx, "number of tokens", func(b *entsql.DialectBuilder) entsql.Querier {
		c := b.Table(contract.Table)
		return b.Select(c.C(contract.FieldTokens)).From(c).Where(entsql.EQ(c.C(contract.FieldID), p.contractID))
	}, []any{p.contractID}, &n)
	if err != nil {
		return 0, fmt.Errorf("totalling token metadata: %w", err)
	}
	return n, nil
}

// Len returns the number of items.
func (p *TokenPage) Len() int { return len(p.Items) }

// AppendCursorAt appends the cursor of the i-th item.
func (p *TokenPage) AppendCursorAt(b []byte, i int) []byte { return p.AppendCursor(b, p.Items[i]) }

// Cursor returns the cursor of an item of the page.
func (p *TokenPage) Cursor(item *nft.TokenMetadata) string { return string(p.AppendCursor(nil, item)) }

// AppendCursor appends what [TokenPage.Cursor] returns.
func (p *TokenPage) AppendCursor(b []byte, item *nft.TokenMetadata) []byte {
	return p.cursorAt(item.TokenID.Bytes()).append(b)
}

func (p *TokenPage) cursorAt(key []byte) *cursor {
	return &cursor{page: p.Number(), key: key, fingerprint: p.fingerprint}
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
	} else if key, err = p.place(); err != nil {
		return nil, err
	}
	text := p.cursorAt(key).String()
	return &text, nil
}

// place returns the key that an empty page comes right after; the empty key
// sorts before every token id.
func (p *TokenPage) place() ([]byte, error) {
	switch {
	case p.after != nil && !p.backward:
		return p.after.key, nil
	case p.before == nil || !p.backward || len(p.before.key) == 0:
		return []byte{}, nil
	}
	var id evm.Uint256
	if err := id.Scan(p.before.key); err != nil {
		return nil, nft.Errorf(nft.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	if id == (evm.Uint256{}) {
		return []byte{}, nil
	}
	return id.Minus(evm.NewUint256(1)).Bytes(), nil
}

// HasNextPage reports whether tokens follow the page.
func (p *TokenPage) HasNextPage(ctx context.Context) (bool, error) {
	switch {
	case !p.backward && p.more:
		return true, nil
	case p.before == nil || !p.known:
		return false, nil
	case p.tokenID != nil:
		return len(p.Items) == 0 && p.one != nil && bytes.Compare(p.one.TokenID.Bytes(), p.before.key) >= 0, nil
	case len(p.Items) > 0:
		return p.exists(ctx, entsql.OpGT, p.Items[len(p.Items)-1].TokenID.Bytes())
	default:
		return p.exists(ctx, entsql.OpGTE, p.before.key)
	}
}

// HasPreviousPage reports whether tokens precede the page.
func (p *TokenPage) HasPreviousPage(ctx context.Context) (bool, error) {
	switch {
	case p.backward && p.more:
		return true, nil
	case p.after == nil || !p.known:
		return false, nil
	case p.tokenID != nil:
		return len(p.Items) == 0 && p.one != nil && bytes.Compare(p.one.TokenID.Bytes(), p.after.key) <= 0, nil
	case len(p.Items) > 0:
		return p.exists(ctx, entsql.OpLT, p.Items[0].TokenID.Bytes())
	default:
		return p.exists(ctx, entsql.OpLTE, p.after.key)
	}
}

// exists looks for a token whose id compares like that with key.
func (p *TokenPage) exists(ctx context.Context, compare entsql.Op, key []byte) (bool, error) {
	var id int64
	found, err := p.snapshot.fixed(ctx, fmt.Sprint("token ", compare), func(b *entsql.DialectBuilder) entsql.Querier {
		t := b.Table(token.Table)
		return b.Select(t.C(token.FieldID)).From(t).Where(entsql.And(
			entsql.EQ(t.C(token.FieldContractID), p.contractID),
			entsql.P(func(b *entsql.Builder) { b.WriteString(t.C(token.FieldTokenID)).WriteOp(compare).Arg(key) }))).
			// In the index's order, which keeps PostgreSQL on the index.
			OrderBy(t.C(token.FieldTokenID)).Limit(1)
	}, []any{p.contractID, key}, &id)
	if err != nil {
		return false, fmt.Errorf("looking beyond a page of token metadata: %w", err)
	}
	return found, nil
}
