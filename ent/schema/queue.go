package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"

	"mintburn/internal/evm"
)

// Resolution is a token in the queue of tokens whose metadata must be fetched. It
// stays there after the fetch. See package internal/store/queue.
type Resolution struct {
	ent.Schema
}

// Fields of Resolution.
func (Resolution) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("contract_id").Comment("The collection, a row of contracts."),
		field.Bytes("token_id").GoType(evm.Uint256{}).Comment("Token id, stored as in mints."),
		field.Int8("standard").Comment("Standard of the event that minted it, as in contracts."),
		field.Enum("state").Values("waiting", "leased", "again", "done").
			Comment("Fetch state: waiting; leased to a worker; again: leased, and to be fetched again; done."),
		field.Int64("due_at").Optional().Nillable().
			Comment("Sort key: minus the block number until the first claim, then the Unix time at which the token becomes due or its lease ends; null if only an event makes it due."),
		field.Int32("attempts").Default(0).Comment("Failed fetches since the last successful one."),
		field.Text("error").Optional().Nillable().Comment("Why the last fetch failed; null if it did not fail."),
		field.Uint64("attempted_at").Optional().Nillable().Comment("Last fetch, Unix seconds, UTC."),
		field.Int64("seen_block").Optional().Nillable().
			Comment("A block that was already final at the last fetch, which saw its state; null for an imported document."),
		field.Text("uri").Optional().Nillable().Comment("Result of tokenURI or uri at the last fetch, if that failed."),
		field.Bool("woken").Optional().Nillable().Comment("True if an event has made it due since its last successful fetch, else null."),
	}
}

// Indexes of Resolution. The last two omit rows that are never due.
func (Resolution) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("contract_id", "token_id").Unique(),
		index.Fields("due_at", "id").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
		index.Fields("contract_id", "due_at", "id").Annotations(entsql.IndexWhere("due_at IS NOT NULL")),
	}
}

// Refresh is a metadata-update event (EIP-4906 or ERC-1155 URI). It stays until
// its block is final, because a reorg may orphan the block.
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
			Comment("First token id that is not processed yet; null if all are processed."),
	}
}

// Indexes of Refresh. The last one contains only rows that are not completely processed.
func (Refresh) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("block"),
		index.Fields("next").Annotations(entsql.IndexWhere("next IS NOT NULL")),
	}
}
