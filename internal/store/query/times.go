package query

import (
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
)

// SeekTime writes a query for the last stored block before a time (<), or for the first one
// at or after it (>=) or after it (>).
func SeekTime(b *entsql.Builder, op string, time func()) {
	b.WriteString("SELECT " + block.FieldID + " FROM " + block.Table + " WHERE " + block.FieldTime + " " + op + " ")
	time()
	order := ""
	if op == "<" {
		order = " DESC"
	}
	b.WriteString(" ORDER BY " + block.FieldTime + order + ", " + block.FieldID + order + " LIMIT 1")
}
