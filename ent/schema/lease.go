package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Lease is the right of one process to change blocks, see internal/store/lease.go.
type Lease struct {
	ent.Schema
}

// Fields of Lease.
func (Lease) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Comment("What the lease is for: the only row is called writer."),
		field.Int64("epoch").Comment("Number of times the lease changed hands."),
		field.String("holder").Comment("The process that has it, or had it last, for people to read."),
		field.Int64("ends_at").Comment("End of the lease by the database's clock, in Unix milliseconds; 0 once it was given back."),
		field.Int64("wanted_until").Comment("Until then, in Unix milliseconds, followers leave the lease to a command that waits for it."),
	}
}

// Indexes of Lease. PostgreSQL holds a change of a unique key back while a transaction
// has the row FOR KEY SHARE, and no other change.
func (Lease) Indexes() []ent.Index {
	return []ent.Index{index.Fields("id", "epoch").Unique()}
}
