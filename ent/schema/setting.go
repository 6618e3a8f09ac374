package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema/field"
)

// Setting is a fact about the whole database.
type Setting struct {
	ent.Schema
}

// Fields of Setting.
func (Setting) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Comment("Name of the fact, see internal/store/tables/setting.go."),
		field.String("value").Comment("Its value."),
	}
}
