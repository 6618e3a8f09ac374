package export

import (
	"strconv"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/listing"
)

// Kind is the kind of values in a column. It determines their type in each format.
type Kind uint8

// The kinds.
const (
	Hex        Kind = iota // 0x and lower-case hex digits
	Name                   // ASCII letters, digits, - and _
	Decimal                // an unsigned integer below 2^256 as decimal digits
	Integer                // an integer from 0 to 2^53-1
	Text                   // any text
	Attributes             // the attributes of a document: JSON as text, and a list in Parquet
)

// Column is a column of a set of rows.
type Column struct {
	// Name is the documented name.
	Name string
	Kind Kind
	// Null is set if values may be null.
	Null bool
}

// column is a column with functions that return its values.
type column[T any] struct {
	Column
	// text appends the text of a value and returns true, or returns false for null. It is
	// nil if the kind is Integer.
	text func(b []byte, row T) ([]byte, bool)
	// integer returns a value and true, or false for null, if the kind is Integer. It is nil
	// otherwise.
	integer func(row T) (uint64, bool)
	// attributes returns the list whose text is JSON, if the kind is Attributes.
	attributes func(row T) []store.Attribute
}

// Column constructors.
func hex[T any](name string, text func([]byte, T) []byte) column[T] {
	return always(name, Hex, text)
}

func always[T any](name string, kind Kind, text func([]byte, T) []byte) column[T] {
	return column[T]{Column{name, kind, false}, func(b []byte, row T) ([]byte, bool) {
		return text(b, row), true
	}, nil, nil}
}

func named[T any](name string, text func(T) string) column[T] {
	return column[T]{Column{name, Name, false}, func(b []byte, row T) ([]byte, bool) { return append(b, text(row)...), true }, nil, nil}
}

func integer[T any](name string, value func(T) uint64) column[T] {
	return column[T]{Column{name, Integer, false}, nil, func(row T) (uint64, bool) { return value(row), true }, nil}
}

func optional[T any](name string, value func(T) *string) column[T] {
	return column[T]{Column{name, Text, true}, func(b []byte, row T) ([]byte, bool) {
		text := value(row)
		if text == nil {
			return b, false
		}
		return append(b, *text...), true
	}, nil, nil}
}

// tokenColumns lists the columns of a token with a record: the fields of the REST route
// (docs/api.md#tokens-and-collections), with the block and time of a record in its place, and the
// state of its metadata.
var tokenColumns = []column[*listing.Token]{
	hex("token_address", func(b []byte, t *listing.Token) []byte { return t.Contract.Append(b) }),
	always("token_id", Decimal, func(b []byte, t *listing.Token) []byte { return t.TokenID.Append(b) }),
	named("contract_type", func(t *listing.Token) string { return string(t.Type) }),
	named("state", func(t *listing.Token) string { return string(t.State) }),
	amount("minted", func(t *listing.Token) *evm.Uint256 { return t.Minted }),
	amount("burned", func(t *listing.Token) *evm.Uint256 { return t.Burned }),
	amount("supply", func(t *listing.Token) *evm.Uint256 { return t.Supply }),
	blockOf("first_mint_block", func(t *listing.Token) *store.Transfer { return t.FirstMint }),
	timeOf("first_mint_time", func(t *listing.Token) *store.Transfer { return t.FirstMint }),
	blockOf("last_mint_block", func(t *listing.Token) *store.Transfer { return t.LastMint }),
	timeOf("last_mint_time", func(t *listing.Token) *store.Transfer { return t.LastMint }),
	blockOf("last_burn_block", func(t *listing.Token) *store.Transfer { return t.LastBurn }),
	timeOf("last_burn_time", func(t *listing.Token) *store.Transfer { return t.LastBurn }),
	{Column{"metadata_state", Name, true}, func(b []byte, t *listing.Token) ([]byte, bool) {
		if t.Metadata == nil {
			return b, false
		}
		return append(b, t.Metadata.State...), true
	}, nil, nil},
	optional("metadata_error", func(t *listing.Token) *string {
		if t.Metadata == nil || t.Metadata.Error == "" {
			return nil
		}
		return &t.Metadata.Error
	}),
}

// amount returns a column of amounts.
func amount(name string, of func(*listing.Token) *evm.Uint256) column[*listing.Token] {
	return column[*listing.Token]{Column{name, Decimal, true}, func(b []byte, t *listing.Token) ([]byte, bool) {
		n := of(t)
		if n == nil {
			return b, false
		}
		return n.Append(b), true
	}, nil, nil}
}

// blockOf and timeOf return columns with the block number, and the time, of a record.
func blockOf(name string, of func(*listing.Token) *store.Transfer) column[*listing.Token] {
	return ofRecord(name, of, func(r *store.Transfer) uint64 { return r.Block.Number })
}

func timeOf(name string, of func(*listing.Token) *store.Transfer) column[*listing.Token] {
	return ofRecord(name, of, func(r *store.Transfer) uint64 { return r.Time })
}

func ofRecord(name string, of func(*listing.Token) *store.Transfer, value func(*store.Transfer) uint64) column[*listing.Token] {
	return column[*listing.Token]{Column{name, Integer, true}, nil, func(t *listing.Token) (uint64, bool) {
		if r := of(t); r != nil {
			return value(r), true
		}
		return 0, false
	}, nil}
}

// transferColumns lists the documented fields of a mint or burn (docs/api.md#mints-and-burns),
// followed by its keys. Log index and sub index are unique within a block. The id also
// differs from that of an orphaned record at the same position.
var transferColumns = []column[*store.Transfer]{
	hex("token_address", func(b []byte, t *store.Transfer) []byte { return t.Contract.Append(b) }),
	named("contract_type", func(t *store.Transfer) string { return string(t.Type) }),
	always("token_id", Decimal, func(b []byte, t *store.Transfer) []byte { return t.TokenID.Append(b) }),
	hex("block_hash", func(b []byte, t *store.Transfer) []byte { return t.Block.Hash.Append(b) }),
	integer("block_number", func(t *store.Transfer) uint64 { return t.Block.Number }),
	hex("transaction_hash", func(b []byte, t *store.Transfer) []byte { return t.TxHash.Append(b) }),
	integer("log_index", func(t *store.Transfer) uint64 { return uint64(t.LogIndex) }),
	hex("from", func(b []byte, t *store.Transfer) []byte { return t.From.Append(b) }),
	hex("to", func(b []byte, t *store.Transfer) []byte { return t.To.Append(b) }),
	always("amount", Decimal, func(b []byte, t *store.Transfer) []byte { return t.Amount.Append(b) }),
	{Column{"operator", Hex, true}, func(b []byte, t *store.Transfer) ([]byte, bool) {
		if t.Type != nft.ERC1155 {
			return b, false
		}
		return t.Operator.Append(b), true
	}, nil, nil},
	integer("timestamp", func(t *store.Transfer) uint64 { return t.Time }),
	integer("block_time", func(t *store.Transfer) uint64 { return t.Time }),
	integer("sub_index", func(t *store.Transfer) uint64 { return uint64(t.SubIndex) }),
	always("id", Name, func(b []byte, t *store.Transfer) []byte { return t.AppendID(b) }),
}

// blockColumns lists the columns of a block whose header is stored.
var blockColumns = []column[*evm.Header]{
	integer("block_number", func(h *evm.Header) uint64 { return h.Number }),
	hex("block_hash", func(b []byte, h *evm.Header) []byte { return h.Hash.Append(b) }),
	{Column{"parent_hash", Hex, true}, func(b []byte, h *evm.Header) ([]byte, bool) {
		if h.ParentHash.IsZero() {
			return b, false
		}
		return h.ParentHash.Append(b), true
	}, nil, nil},
	integer("timestamp", func(h *evm.Header) uint64 { return h.Time }),
}

// rejectedColumns lists the columns of a rejected log.
var rejectedColumns = []column[*listing.RejectedLog]{
	integer("block_number", func(r *listing.RejectedLog) uint64 { return r.Block.Number }),
	hex("block_hash", func(b []byte, r *listing.RejectedLog) []byte { return r.Block.Hash.Append(b) }),
	integer("timestamp", func(r *listing.RejectedLog) uint64 { return r.Time }),
	hex("transaction_hash", func(b []byte, r *listing.RejectedLog) []byte { return r.Log.TxHash.Append(b) }),
	integer("log_index", func(r *listing.RejectedLog) uint64 { return uint64(r.Log.Index) }),
	hex("address", func(b []byte, r *listing.RejectedLog) []byte { return r.Log.Address.Append(b) }),
	topic(0), topic(1), topic(2), topic(3),
	hex("data", func(b []byte, r *listing.RejectedLog) []byte { return evm.AppendHex(b, r.Log.Data) }),
	always("reason", Text, func(b []byte, r *listing.RejectedLog) []byte { return append(b, r.Reason...) }),
}

// topic returns the column of topic i, from 0 to 3.
func topic(i int) column[*listing.RejectedLog] {
	return column[*listing.RejectedLog]{Column{"topic" + strconv.Itoa(i), Hex, true}, func(b []byte, r *listing.RejectedLog) ([]byte, bool) {
		if i >= len(r.Log.Topics) {
			return b, false
		}
		return r.Log.Topics[i].Append(b), true
	}, nil, nil}
}

// documentColumns lists the documented fields of a token's metadata
// (docs/api.md#token-metadata), followed by its source and the time of the last fetch.
var documentColumns = []column[*store.TokenMetadata]{
	hex("collection_address", func(b []byte, m *store.TokenMetadata) []byte { return m.Contract.Append(b) }),
	named("collection_type", func(m *store.TokenMetadata) string { return string(m.Type) }),
	always("token_id", Decimal, func(b []byte, m *store.TokenMetadata) []byte { return m.TokenID.Append(b) }),
	optional("external_url", func(m *store.TokenMetadata) *string { return m.ExternalURL }),
	optional("image_data", func(m *store.TokenMetadata) *string { return m.ImageData }),
	optional("background_color", func(m *store.TokenMetadata) *string { return m.BackgroundColor }),
	optional("youtube_url", func(m *store.TokenMetadata) *string { return m.YoutubeURL }),
	integer("updated_at", func(m *store.TokenMetadata) uint64 { return m.UpdatedAt }),
	optional("name", func(m *store.TokenMetadata) *string { return m.Name }),
	optional("description", func(m *store.TokenMetadata) *string { return m.Description }),
	optional("image", func(m *store.TokenMetadata) *string { return m.Image }),
	optional("animation_url", func(m *store.TokenMetadata) *string { return m.AnimationURL }),
	{Column{"attributes", Attributes, false}, func(b []byte, m *store.TokenMetadata) ([]byte, bool) {
		return appendAttributes(b, m.Attributes), true
	}, nil, func(m *store.TokenMetadata) []store.Attribute { return m.Attributes }},
	optional("uri", func(m *store.TokenMetadata) *string {
		if m.URI == "" {
			return nil
		}
		return &m.URI
	}),
	integer("fetched_at", func(m *store.TokenMetadata) uint64 { return m.FetchedAt }),
}

// collectionColumns lists the columns of the view v_collections but position
// (docs/data.md#sql-views).
var collectionColumns = []column[*listing.Collection]{
	hex("address", func(b []byte, c *listing.Collection) []byte { return c.Address.Append(b) }),
	named("contract_type", func(c *listing.Collection) string { return string(c.Type) }),
	optional("name", func(c *listing.Collection) *string { return c.Name }),
	optional("symbol", func(c *listing.Collection) *string { return c.Symbol }),
	integer("minted_items", func(c *listing.Collection) uint64 { return c.Minted }),
	integer("burned_items", func(c *listing.Collection) uint64 { return c.Burned }),
	integer("first_block", func(c *listing.Collection) uint64 { return c.FirstBlock }),
	integer("last_block", func(c *listing.Collection) uint64 { return c.LastBlock }),
}

// appendAttributes appends the attributes of a document as JSON, as in the REST API.
func appendAttributes(b []byte, list []store.Attribute) []byte {
	b = append(b, '[')
	for i := range list {
		a := &list[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"trait_type":`...), a.TraitType...)
		b = append(append(b, `,"value":`...), a.Value...)
		b = append(b, `,"max_value":`...)
		if a.MaxValue != nil {
			b = append(b, *a.MaxValue...)
		} else {
			b = append(b, "null"...)
		}
		b = append(append(b, `,"trait_count":`...), a.TraitCount...)
		b = append(append(append(b, `,"order":`...), a.Order...), '}')
	}
	return append(b, ']')
}
