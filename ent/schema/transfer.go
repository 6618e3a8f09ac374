package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
	"entgo.io/ent/schema/mixin"

	"mintburn/internal/evm"
)

// transfer has the fields and indexes of both Mint and Burn.
type transfer struct {
	mixin.Schema
}

// Fields of a mint or burn. Addresses and hashes that filters select are split into
// a prefix, the first 8 bytes as an integer, and a suffix. The index contains only
// the prefix, and the suffix decides.
func (transfer) Fields() []ent.Field {
	return []ent.Field{
		number("Position in chain order: block number << 30 | index among the block's records of this kind."),
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("token_id").GoType(evm.Uint256{}).Comment("Token id: a length byte and the significant bytes, big-endian."),
		field.Int64("tx_prefix").Comment("Transaction hash, first 8 bytes."),
		field.Bytes("tx_suffix").Comment("Transaction hash, last 24 bytes."),
		field.Int64("account_prefix").Comment("Receiver of a mint or sender of a burn, first 8 bytes."),
		field.Bytes("account_suffix").Comment("Receiver of a mint or sender of a burn, last 12 bytes."),
		field.Bytes("amount").GoType(evm.Uint256{}).Comment("Number of tokens, stored as token_id is."),
		field.Uint32("tx_index").Optional().Nillable().
			Comment("Index of the transaction in the block; null if it was not stored."),
		field.Uint32("log_index").Comment("Index of the log in the block."),
		field.Uint32("sub_index").Comment("Index within an ERC-1155 batch or an EIP-2309 range, else 0."),
		field.Bytes("operator").Optional().Nillable().GoType(&evm.Address{}).
			Comment("Operator of an ERC-1155 event; null for an ERC-721 event."),
	}
}

// Indexes of a mint or burn. Each accepted filter has an index in chain order. The
// position is part of every index; SQLite adds it implicitly.
func (transfer) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "id"),
		index.Fields("contract_id", "token_id", "id"),
		index.Fields("tx_prefix", "id"),
		index.Fields("account_prefix", "id"),
		index.Fields("account_prefix", "contract_id", "id"),
	}
}

// extends names the entity whose columns another one contains, both from the same
// mixin. ent/template/row.tmpl converts between the two.
type extends string

// Name implements [schema.Annotation].
func (extends) Name() string { return "Extends" }

// Mint is one minted token id of one event.
type Mint struct {
	ent.Schema
}

// Mixin of Mint.
func (Mint) Mixin() []ent.Mixin { return []ent.Mixin{transfer{}} }

// Burn is one burned token id of one event.
type Burn struct {
	ent.Schema
}

// Mixin of Burn.
func (Burn) Mixin() []ent.Mixin { return []ent.Mixin{transfer{}} }

// Annotations of Burn.
func (Burn) Annotations() []schema.Annotation { return []schema.Annotation{extends("Mint")} }

// Fields of Burn besides those that it shares with Mint.
func (Burn) Fields() []ent.Field {
	return []ent.Field{
		field.Bytes("burn_address").Optional().Nillable().GoType(&evm.Address{}).
			Comment("Receiver of the tokens, if not the zero address."),
	}
}
