package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Lease is the right of one process to change blocks, see package internal/store/lease.
type Lease struct {
	ent.Schema
}

// Fields of Lease.
func (Lease) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Comment("Name of the lease; the only row is writer."),
		field.Int64("epoch").Comment("Random number of the term; each takeover begins another one."),
		field.String("holder").Comment("The current or last holder, as text for people."),
		field.Int64("ends_at").Comment("End of the lease by the database's clock, in Unix milliseconds; 0 after its release."),
		field.Int64("wanted_until").Comment("Time in Unix milliseconds until which followers leave the lease to a waiting command."),
	}
}

// Indexes of Lease. The index makes epoch part of a unique key: while a transaction has
// locked the row FOR KEY SHARE, PostgreSQL blocks changes of the epoch, but no others.
func (Lease) Indexes() []ent.Index {
	return []ent.Index{index.Fields("id", "epoch").Unique()}
}
