package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"mintburn/internal/evm"
)

// Resolution is a token in the queue of those whose metadata is to be fetched.
// It stays there when that is done. See internal/store/queue.go.
type Resolution struct {
	ent.Schema
}

// Fields of Resolution.
func (Resolution) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("token_id").GoType(evm.Uint256{}).Comment("Token id, stored as in mints."),
		field.Int8("shape").Comment("Shape of the event that minted it, as in contracts."),
		field.Enum("state").Values("waiting", "leased", "again", "done").
			Comment("Waiting to be fetched; given to a worker; given to one and to be fetched again after; at rest."),
		field.Int64("turn").Optional().Nillable().
			Comment("When it may be given out, Unix seconds, UTC; minus its block's number while it never was; null for never."),
		field.Int32("attempts").Default(0).Comment("Failed tries since the last that did not fail."),
		field.Text("error").Optional().Nillable().Comment("Why the last try failed; null if it did not."),
		field.Uint64("tried_at").Optional().Nillable().Comment("Last try, Unix seconds, UTC."),
		field.Int64("seen_block").Optional().Nillable().
			Comment("A block that was final before the last try, which saw its state; null for an imported document."),
		field.Text("uri").Optional().Nillable().Comment("What tokenURI or uri returned at the last try, if that failed."),
	}
}

// Indexes of Resolution. The last two hold only rows that have a turn.
func (Resolution) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "token_id").Unique(),
		index.Fields("turn", "id").Annotations(entsql.IndexWhere("turn IS NOT NULL")),
		index.Fields("contract_id", "turn", "id").Annotations(entsql.IndexWhere("turn IS NOT NULL")),
	}
}

// Refresh is the word of a collection that documents may have changed. It
// stays until its block is final, in case that is reorganised away.
type Refresh struct {
	ent.Schema
}

// Fields of Refresh.
func (Refresh) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("block").Comment("Number of the event's block."),
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("first").GoType(evm.Uint256{}).Comment("First token id, stored as in mints."),
		field.Bytes("last").GoType(evm.Uint256{}).Comment("Last token id, inclusive."),
		field.Bytes("next").Optional().Nillable().GoType(&evm.Uint256{}).
			Comment("First token id that is not worked off; null when all are."),
	}
}

// Indexes of Refresh. The last holds only rows that are not worked off.
func (Refresh) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("block"),
		index.Fields("next").Annotations(entsql.IndexWhere("next IS NOT NULL")),
	}
}
