package schema

import (
	"entgo.io/ent"
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
	}
}

// Indexes of Contract.
func (Contract) Indexes() []ent.Index {
	return []ent.Index{index.Fields("address").Unique(), index.Fields("first_log", "id")}
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
		field.Text("uri").Comment("What tokenURI or uri returned."),
		field.Text("raw").Comment("The document, see internal/store/tables/raw.go."),
		cause(),
	}
}

// cause is why a document was fetched.
func cause() ent.Field {
	return field.Enum("cause").Values("EVENT", "RECHECK", "IMPORT").Optional().Nillable().
		Comment("Why the document was stored; null for FIRST.")
}

// Indexes of Token.
func (Token) Indexes() []ent.Index {
	return []ent.Index{index.Fields("contract_id", "token_id").Unique()}
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

// Trait counts the distinct values of one trait in a collection.
type Trait struct {
	ent.Schema
}

// Fields of Trait.
func (Trait) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("trait").Comment("First 16 bytes of the SHA-256 of the trait's name."),
		field.Uint64("distinct_values").Comment("Number of distinct values of the trait."),
	}
}

// Indexes of Trait.
func (Trait) Indexes() []ent.Index {
	return []ent.Index{index.Fields("contract_id", "trait").Unique()}
}

// TraitValue counts the attributes of a collection's tokens with one value of a trait.
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
	}
}

// Indexes of TraitValue.
func (TraitValue) Indexes() []ent.Index {
	return []ent.Index{index.Fields("contract_id", "trait", "value").Unique()}
}

// Counter is a node of a tree that counts the records of one filter by block.
// See package internal/store/counter.
type Counter struct {
	ent.Schema
}

// Fields of Counter.
func (Counter) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("scope").Comment("Scope: the filter whose records are counted."),
		field.Int8("level").Comment("Depth of the node; 0 is the root."),
		field.Int64("bucket").Comment("Block number >> the level's shift."),
		field.Int64("n").Comment("Records below the node."),
		field.Bool("split").Comment("Whether the level below contains the parts of the node."),
		field.Bytes("amount").Optional().Comment("Sum of their amounts, stored as token_id is; null if it equals n, as for ERC-721."),
	}
}

// Indexes of Counter.
func (Counter) Indexes() []ent.Index {
	return []ent.Index{index.Fields("scope", "level", "bucket").Unique()}
}
