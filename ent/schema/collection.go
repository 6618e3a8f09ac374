package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"mintburn/internal/evm"
)

// Contract assigns a contract's address a small number, which the large tables contain
// instead of the address. Rows are never removed.
type Contract struct {
	ent.Schema
}

// Fields of Contract.
func (Contract) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("id"),
		field.Bytes("address").GoType(evm.Address{}).Comment("The contract's address."),
		field.Int8("standards").Default(0).Comment("Bit set of the standards of its events so far: 1 ERC-721, 2 ERC-1155."),
		field.Int64("tokens").Default(0).Comment("Number of its tokens with a document."),
		field.Int64("traits_version").Default(0).Comment("Random version of its traits; each change of a trait replaces it."),
		field.Int64("first_log").Optional().Nillable().Comment("Block number << 30 | log index of its first record; null if it has no records."),
		field.Int64("token_count").Optional().Nillable().Comment("Number of its tokens with records; null during a load."),
		field.Int64("resolved").Default(0).Comment("Number of its tokens with the fetch state resolved."),
		field.Int64("pending").Default(0).Comment("Number of its tokens with the fetch state pending."),
		field.Int64("failed").Default(0).Comment("Number of its tokens with the fetch state failed."),
		field.Int64("recordless").Default(0).Comment("Number of tokens in these three counts without a record; 0 while token_count is null."),
		field.Int64("mint_count").Optional().Nillable().Comment("Number of its mints; null during a load."),
		field.Int64("burn_count").Optional().Nillable().Comment("Number of its burns; null during a load."),
		field.Bytes("mint_excess").Optional().Comment("Sum of the amounts of its mints minus their number, modulo 2^320, stored as token_id is; null if 0, as for ERC-721."),
		field.Bytes("burn_excess").Optional().Comment("The same of its burns."),
		field.Int64("traits").Optional().Nillable().Comment("Number of traits of its documents; null until their tokens are counted after an upgrade."),
	}
}

// Indexes of Contract.
func (Contract) Indexes() []ent.Index {
	return []ent.Index{index.Fields("address").Unique(), index.Fields("first_log", "id")}
}

// ContractMetadata is the contract-level metadata (ERC-7572) of a contract, and its place in
// the queue of package internal/store/queue. Each contract has one row.
type ContractMetadata struct {
	ent.Schema
}

// Fields of ContractMetadata. The small columns come first, as in Token.
func (ContractMetadata) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Enum("state").Values("waiting", "leased", "again", "done").Comment("Fetch state, as in resolutions."),
		field.Int64("due_at").Optional().Nillable().
			Comment("Sort key: minus contract_id until the first claim, then as in resolutions."),
		field.Int32("attempts").Default(0).Comment("Failed fetches since the last successful one."),
		field.Uint64("attempted_at").Optional().Nillable().Comment("Last fetch, Unix seconds, UTC."),
		field.Uint64("fetched_at").Optional().Nillable().Comment("Last successful fetch, Unix seconds, UTC."),
		field.Int64("seen_block").Optional().Nillable().Comment("A block that was already final at the last fetch."),
		field.Text("error").Optional().Nillable().Comment("Why the last fetch failed; null if it did not fail."),
		field.Text("name").Optional().Nillable().Comment("Name of the document, else result of name(); at most 256 bytes."),
		field.Text("symbol").Optional().Nillable().Comment("Symbol of the document, else result of symbol(); at most 256 bytes."),
		field.Text("uri").Optional().Nillable().Comment("What contractURI returned; null if the contract has none."),
		field.Text("content").Optional().Nillable().Comment("The normalised document, as JSON; null without one."),
		field.Text("raw").Optional().Nillable().Comment("The document; null without one."),
	}
}

// Indexes of ContractMetadata. The last one omits rows that are never due.
func (ContractMetadata) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id").Unique(),
		index.Fields("due_at", "id").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}

// Annotations of ContractMetadata.
func (ContractMetadata) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "contract_metadata"}}
}

// CollectionWord is a text by which a search finds a collection: its name, the name from another of
// its words on, or its symbol. The rows follow from the names, see [tables.Words].
type CollectionWord struct {
	ent.Schema
}

// Fields of CollectionWord.
func (CollectionWord) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("id").Comment("The folded text, at most 64 bytes, U+0000 and the address."),
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Int64("shared").Comment("Bytes that id has in common with the collection's one before."),
	}
}

// Token is the document of a token. The small columns come first, because the texts may
// have megabytes and SQLite reads a row from its beginning.
type Token struct {
	ent.Schema
}

// Fields of Token.
func (Token) Fields() []ent.Field {
	text := func(name, comment string) ent.Field {
		return field.Text(name).Optional().Nillable().Comment(comment)
	}
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("token_id").GoType(evm.Uint256{}).Comment("Token id, stored as in mints."),
		field.Uint64("fetched_at").Comment("Last fetch, Unix seconds, UTC."),
		field.Uint64("updated_at").Comment("Fetch at which the content last changed, Unix seconds, UTC."),
		field.Bool("uri_has_id").Comment("Whether uri contains {id}, which only ERC-1155 allows."),
		field.Int64("text_bytes").Comment("Total bytes of the texts below."),
		text("name", "Name or title."),
		text("description", "Description."),
		text("image", "URL of the image."),
		text("external_url", "External URL."),
		text("image_data", "Image data, as in the document."),
		text("background_color", "Background colour, six hex digits."),
		text("youtube_url", "Video URL."),
		text("animation_url", "URL of an animated version."),
		field.Text("attributes").Comment("The attributes, as JSON."),
		text("display_types", "How the attributes are shown, a JSON array of their display types; null if none has one."),
		field.Text("uri").Comment("What tokenURI or uri returned."),
		field.Text("raw").Comment("The document, see internal/store/tables/raw.go."),
		cause(),
		field.Int64("changed").Optional().Nillable().Comment("Number of the row of changes that stored the document; null if it is older than the log."),
	}
}

// cause is why a document was fetched.
func cause() ent.Field {
	return field.Enum("cause").Values("EVENT", "RECHECK", "IMPORT").Optional().Nillable().
		Comment("Why the document was stored; null for FIRST.")
}

// Indexes of Token. The last one contains only documents that the log knows.
func (Token) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "token_id").Unique(),
		index.Fields("changed", "id").Annotations(entsql.IndexWhere("changed IS NOT NULL")),
	}
}

// Version is a document that a token had before its present one.
type Version struct {
	ent.Schema
}

// Fields of Version.
func (Version) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("token_id").GoType(evm.Uint256{}).Comment("Token id, stored as in mints."),
		field.Int64("number").Comment("Number of the version, from 1; that of the present document is one more than the last."),
		field.Uint64("fetched_at").Comment("First fetch of the document, Unix seconds, UTC."),
		cause(),
		field.Int64("text_bytes").Comment("Bytes of uri and of the document before compression."),
		field.Text("uri").Comment("What tokenURI or uri returned."),
		field.Bytes("raw").Comment("The document, compressed, see internal/store/tables/version.go."),
	}
}

// Indexes of Version.
func (Version) Indexes() []ent.Index {
	return []ent.Index{index.Fields("contract_id", "token_id", "number").Unique()}
}

// Trait counts the distinct values of one trait in a collection, and its tokens.
type Trait struct {
	ent.Schema
}

// Fields of Trait.
func (Trait) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("trait").Comment("First 16 bytes of the SHA-256 of the trait's name."),
		field.Uint64("distinct_values").Comment("Number of distinct values of the trait."),
		field.Text("name").Default("").Comment("The trait's name, at most 256 bytes; empty until its tokens are counted after an upgrade."),
		field.Int64("tokens").Default(0).Comment("Number of tokens with the trait."),
	}
}

// Indexes of Trait. The last one contains only traits that a token has.
func (Trait) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "trait").Unique(),
		index.Fields("contract_id", "name", "trait").Annotations(entsql.IndexWhere("tokens > 0")),
	}
}

// TraitValue counts the attributes of a collection's tokens with one value of a trait, and
// the tokens.
type TraitValue struct {
	ent.Schema
}

// Fields of TraitValue.
func (TraitValue) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("trait").Comment("First 16 bytes of the SHA-256 of the trait's name."),
		field.Bytes("value").Comment("First 16 bytes of the SHA-256 of the value."),
		field.Int64("n").Comment("Number of attributes of the collection's tokens with this value."),
		field.Text("text").Default("").Comment("The value, at most 256 bytes; empty until its tokens are counted after an upgrade."),
		field.Int64("tokens").Default(0).Comment("Number of tokens with the value."),
	}
}

// Indexes of TraitValue. The last one contains only values that a token has.
func (TraitValue) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "trait", "value").Unique(),
		index.Fields("contract_id", "trait", "tokens", "text").Annotations(entsql.DescColumns("tokens"), entsql.IndexWhere("tokens > 0")),
	}
}

// Counter is a node of a tree that counts the records of one filter by block.
// See package internal/store/counter.
type Counter struct {
	ent.Schema
}

// Fields of Counter.
func (Counter) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("id").Comment("The node, see internal/store/counter.Key."),
		field.Int64("n").Comment("Records below the node."),
		field.Bytes("amount").Optional().Comment("Sum of their amounts, stored as token_id is; null if it equals n, as for ERC-721."),
	}
}
