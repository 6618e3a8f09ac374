package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// UnmarshalOrder reads the enum Order.
func UnmarshalOrder(v any) (store.Order, error) {
	return oneOf(v, "ASC or DESC", store.Asc, store.Desc)
}

// UnmarshalFinality reads the enum Finality.
func UnmarshalFinality(v any) (store.Finality, error) {
	return oneOf(v, "LATEST or FINALIZED", store.Latest, store.Finalized)
}

// AppendContractType appends the enum ContractType.
func AppendContractType(b []byte, t nft.ContractType) []byte { return fastql.AppendName(b, t) }

// AppendMetadataState appends the enum MetadataState.
func AppendMetadataState(b []byte, s nft.MetadataState) []byte { return fastql.AppendName(b, s) }

// oneOf parses an enum with these values.
func oneOf[T ~string](v any, want string, values ...T) (T, error) {
	text, ok := v.(string)
	if !ok || !slices.Contains(values, T(text)) {
		return "", fmt.Errorf("got %s, want %s", evm.Describe(v), want)
	}
	return T(text), nil
}

// AppendCursor appends the scalar Cursor.
func AppendCursor(b []byte, text string) []byte { return fastql.AppendString(b, text) }

// MarshalCursor writes the scalar Cursor.
func MarshalCursor(text string) graphql.Marshaler { return written(AppendCursor(nil, text)) }

// UnmarshalCursor reads the scalar Cursor. It accepts only strings.
func UnmarshalCursor(v any) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("got %s, want a string that this API returned", evm.Describe(v))
	}
	return text, nil
}

// AppendInt appends the scalar Int.
func AppendInt(b []byte, i int) []byte { return strconv.AppendInt(b, int64(i), 10) }

// MarshalInt writes the scalar Int.
func MarshalInt(i int) graphql.Marshaler { return written(AppendInt(nil, i)) }

// UnmarshalInt reads the scalar Int. It accepts 32-bit integers, but not as strings. GraphQL
// specification, section 3.5.1.
func UnmarshalInt(v any) (int, error) {
	if _, ok := v.(string); !ok {
		if i, err := graphql.UnmarshalInt32(v); err == nil {
			return int(i), nil
		}
	}
	return 0, fmt.Errorf("got %s, want an integer from -2^31 to 2^31-1", evm.Describe(v))
}

// ItemCursor is the scalar Cursor of an item on a page. It is encoded only when it is written.
type ItemCursor struct {
	page *page.AnyPage
	i    int
}

// AppendGQL appends the scalar Cursor.
func (c ItemCursor) AppendGQL(b []byte) []byte {
	return append(c.page.AppendCursor(append(b, '"'), c.i), '"')
}

// MarshalGQL implements [graphql.Marshaler].
func (c ItemCursor) MarshalGQL(w io.Writer) { written(c.AppendGQL(nil)).MarshalGQL(w) }

// UnmarshalGQL implements [graphql.Unmarshaler], which gqlgen requires of a scalar. Arguments
// are read by [UnmarshalCursor] instead.
func (*ItemCursor) UnmarshalGQL(any) error { return errOutput }

// RecordID is the scalar ID of a mint or burn. It is encoded only when it is written.
type RecordID struct{ record *store.Transfer }

// AppendGQL appends the scalar ID.
func (id RecordID) AppendGQL(b []byte) []byte {
	return append(id.record.AppendID(append(b, '"')), '"')
}

// MarshalGQL implements [graphql.Marshaler].
func (id RecordID) MarshalGQL(w io.Writer) { written(id.AppendGQL(nil)).MarshalGQL(w) }

// UnmarshalGQL implements [graphql.Unmarshaler], which gqlgen requires of a scalar. Arguments
// are strings instead.
func (*RecordID) UnmarshalGQL(any) error { return errOutput }

var errOutput = errors.New("internal error: the type is for output only")

// written is JSON that is written unchanged.
type written []byte

// MarshalGQL implements [graphql.Marshaler].
func (b written) MarshalGQL(w io.Writer) { _, _ = w.Write(b) }

// Transfer is the GraphQL interface of mints and burns.
type Transfer interface{ IsTransfer() }

// Mint is the GraphQL type of a mint.
type Mint struct{ transfer }

// Burn is the GraphQL type of a burn.
type Burn struct{ transfer }

// transfer has the common fields of Mint and Burn; schema.graphqls describes them.
type transfer struct {
	*store.Transfer
	page *store.RecordPage
}

// IsTransfer marks a Transfer.
func (transfer) IsTransfer() {}

func (t transfer) ID() RecordID                   { return RecordID{t.Transfer} }
func (t transfer) TokenAddress() evm.Address      { return t.Contract }
func (t transfer) ContractType() nft.ContractType { return t.Type }
func (t transfer) TokenId() evm.Uint256           { return t.TokenID }
func (t transfer) BlockHash() evm.Hash            { return t.Block.Hash }
func (t transfer) BlockNumber() evm.Long          { return evm.Long(t.Block.Number) }
func (t transfer) TransactionHash() evm.Hash      { return t.TxHash }
func (t transfer) TransactionIndex() *int         { return index(t.TxIndex) }
func (t transfer) LogIndex() int                  { return int(t.Transfer.LogIndex) }
func (t transfer) SubIndex() int                  { return int(t.Transfer.SubIndex) }
func (t transfer) Timestamp() evm.Long            { return evm.Long(t.Time) }
func (t transfer) BlockTime() evm.Long            { return evm.Long(t.Time) }

// index returns the index of a transaction, or nil if it is unknown.
func index(i evm.TxIndex) *int {
	if !i.Known {
		return nil
	}
	n := int(i.N)
	return &n
}

// key returns the key of the record's token.
func (t transfer) key() nft.TokenKey { return nft.TokenKey{Contract: t.Contract, TokenID: t.TokenID} }

func (t transfer) Operator() *evm.Address {
	if t.Type != nft.ERC1155 {
		return nil
	}
	return &t.Transfer.Operator
}

func (t transfer) Metadata(ctx context.Context) (*TokenMetadata, error) {
	found, err := t.page.Metadata(ctx, selectedTexts)
	if err != nil {
		return nil, err
	}
	m := found[t.key()]
	if m == nil {
		return nil, nil
	}
	return &TokenMetadata{m}, nil
}

// TokenMetadata is the GraphQL type of a token's metadata; schema.graphqls
// describes its fields.
type TokenMetadata struct{ *store.TokenMetadata }

func (m TokenMetadata) ID() string                       { return store.MetadataNodeID(m.TokenKey) }
func (m TokenMetadata) CollectionAddress() evm.Address   { return m.Contract }
func (m TokenMetadata) CollectionType() nft.ContractType { return m.Type }

func (m TokenMetadata) URI() *string   { return orNull(m.TokenMetadata.URI) }
func (m TokenMetadata) Raw() *string   { return orNull(m.TokenMetadata.Raw) }
func (m TokenMetadata) Error() *string { return orNull(m.TokenMetadata.Error) }

func (m TokenMetadata) NextTry() *evm.Long {
	if m.TokenMetadata.NextTry == 0 {
		return nil
	}
	next := evm.Long(m.TokenMetadata.NextTry)
	return &next
}

// orNull returns a pointer to a text, or nil if it is empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Attribute is the GraphQL type of a token's attribute.
type Attribute = store.Attribute

func (m TokenMetadata) Attributes() []Attribute { return m.TokenMetadata.Attributes }

// connection has the fields of a connection that do not depend on its items, in both shapes:
// the Relay connection and the documented envelope. Its methods compute them from the page on
// demand.
type connection struct{ *page.AnyPage }

// Read implements [fastql.Reader].
func (c connection) Read(ctx context.Context) error { return c.AnyPage.Read(ctx, selected) }

// Indexed returns the indexed ranges, which the items come from.
func (connection) Indexed(ctx context.Context) ([]evm.Range, error) {
	return snapshotOf(ctx).Indexed(ctx)
}

func (c connection) Cursor(ctx context.Context) (*string, error) { return c.NextCursor(ctx) }
func (c connection) Page() int                                   { return int(c.Number()) }
func (c connection) PageInfo() PageInfo                          { return PageInfo(c) }

func (c connection) TotalItems(ctx context.Context) (evm.Long, error) {
	n, err := c.Total(ctx)
	return evm.Long(n), err
}

// PageInfo is the GraphQL type of a page's boundaries.
type PageInfo connection

func (p PageInfo) StartCursor() *ItemCursor { return p.cursor(0) }
func (p PageInfo) EndCursor() *ItemCursor   { return p.cursor(p.Len() - 1) }

func (p PageInfo) cursor(i int) *ItemCursor {
	if p.Len() == 0 {
		return nil
	}
	return &ItemCursor{p.AnyPage, i}
}

// connectionOf is a connection over a page of type P with items of type T.
type connectionOf[P, T any] struct {
	connection
	page P
	at   func(page P, i int) T
}

func newConnection[P, T any](bounds *page.AnyPage, page P, at func(page P, i int) T) connectionOf[P, T] {
	return connectionOf[P, T]{connection{bounds}, page, at}
}

func (c connectionOf[P, T]) Data() []T {
	items := make([]T, c.Len())
	for i := range items {
		items[i] = c.at(c.page, i)
	}
	return items
}

func (c connectionOf[P, T]) Edges() []edge[T] {
	edges := make([]edge[T], c.Len())
	for i := range edges {
		edges[i] = edge[T]{ItemCursor{c.AnyPage, i}, c.at(c.page, i)}
	}
	return edges
}

// edge is an item of a page, with its cursor.
type edge[T any] struct {
	Cursor ItemCursor
	Node   T
}

// MintEdge is the GraphQL type of a mint on a page.
type MintEdge = edge[Mint]

// BurnEdge is the GraphQL type of a burn on a page.
type BurnEdge = edge[Burn]

// TokenMetadataEdge is the GraphQL type of a token's metadata on a page.
type TokenMetadataEdge = edge[TokenMetadata]

// transfers is a connection over a page of mints or burns.
type transfers[T any] struct {
	connectionOf[*store.RecordPage, T]
}

// Indexed returns the indexed ranges, which the mints or burns come from.
func (t transfers[T]) Indexed(ctx context.Context) ([]evm.Range, error) { return t.page.Indexed(ctx) }

// MintConnection is the GraphQL type of a page of mints.
type MintConnection struct{ transfers[Mint] }

func mints(page *store.RecordPage) *MintConnection {
	return &MintConnection{transfers[Mint]{newConnection(&page.AnyPage, page, mintAt)}}
}

func mintAt(page *store.RecordPage, i int) Mint { return Mint{transfer{&page.Items[i], page}} }

// BurnConnection is the GraphQL type of a page of burns.
type BurnConnection struct{ transfers[Burn] }

func burns(page *store.RecordPage) *BurnConnection {
	return &BurnConnection{transfers[Burn]{newConnection(&page.AnyPage, page, burnAt)}}
}

func burnAt(page *store.RecordPage, i int) Burn { return Burn{transfer{&page.Items[i], page}} }

// TokenMetadataConnection is the GraphQL type of a page of token metadata.
type TokenMetadataConnection struct {
	connectionOf[*page.Page[*store.TokenMetadata], TokenMetadata]
}

func metadata(p *page.Page[*store.TokenMetadata]) *TokenMetadataConnection {
	return &TokenMetadataConnection{newConnection(&p.AnyPage, p, metadataAt)}
}

func metadataAt(p *page.Page[*store.TokenMetadata], i int) TokenMetadata {
	return TokenMetadata{p.Items[i]}
}
