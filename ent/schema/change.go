package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Change is a row of the log of changes, see package internal/store/change.
type Change struct {
	ent.Schema
}

// Fields of Change.
func (Change) Fields() []ent.Field {
	return []ent.Field{
		number("Sequence number, in the order of the commits."),
		field.Int64("nonce").Comment("Random number, which differs where a sequence number is used again."),
		field.Int64("at").Comment("Time of the transaction, Unix seconds, UTC."),
		field.Int64("top").Default(-1).Comment("Last block of the last added range, -1 for none. Unless there is a ChangeEvent, the blocks after the former top were added."),
		field.Int64("final").Default(-1).Comment("Last final block, -1 for none."),
	}
}

// ChangeEvent is what a row of the log changed other than by adding blocks after its top.
type ChangeEvent struct {
	ent.Schema
}

// Fields of ChangeEvent.
func (ChangeEvent) Fields() []ent.Field {
	return []ent.Field{
		number("Number of the row of changes."),
		field.Enum("event").Values("ADDED", "REORG", "REPAIR", "REDECODE").
			Comment("ADDED: the blocks were added. The others: why they became void; their present records count as added. REDECODE is of builds before v0.1.0."),
		field.Int64("from_block").Comment("First block."),
		field.Int64("to_block").Comment("Last block."),
		field.Int64("top_before").Comment("Top of the row before."),
		field.Int64("top").Comment("Top of the row. A reorg also added the blocks up to it."),
	}
}
