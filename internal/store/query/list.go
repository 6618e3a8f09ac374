package query

import (
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// List are the values of a list argument after they are looked up. Each value is a row of a
// table k with a number n and bytes b: a contract's number and a token id, or the prefix and
// the suffix of an account or a transaction.
type List struct {
	// Name is the name of the argument.
	Name string
	// N and B are the columns of the table.
	N []int64
	B [][]byte
	// Scopes are the scopes of the values' counters; none if the values select few records.
	Scopes [][]byte
}

// Add adds a value.
func (l *List) Add(n int64, b []byte) {
	l.N, l.B = append(l.N, n), append(l.B, b)
}

// The columns of a value as expressions of a statement.
var (
	ValueNumber = entsql.Raw("k.n")
	ValueBytes  = entsql.Raw("k.b")
)

// Arrays are the columns of a table that a statement receives as arguments, so that its text
// does not depend on the number of rows. Each column is []int64 or [][]byte; the last one may
// be [RowNumber].
type Arrays []any

// RowNumber is a column with the number of each row, from 1.
type RowNumber struct{}

// Table returns the columns of the values.
func (l *List) Table() Arrays { return Arrays{l.N, l.B} }

// given returns the columns that are arguments.
func (a Arrays) given() Arrays {
	if _, numbered := a[len(a)-1].(RowNumber); numbered {
		return slices.Clip(a[:len(a)-1])
	}
	return a
}

// Args returns the arguments of the table: an array for each column, or for SQLite a JSON
// array of the rows.
func (a Arrays) Args(database string) []any {
	if a = a.given(); database == dialect.Postgres {
		return a
	}
	text := append(make([]byte, 0, 128), '[')
	for row := range reflect.ValueOf(a[0]).Len() {
		if row > 0 {
			text = append(text, ',')
		}
		if len(a) > 1 {
			text = append(text, '[')
		}
		for i, column := range a {
			if i > 0 {
				text = append(text, ',')
			}
			switch column := column.(type) {
			case []int64:
				text = strconv.AppendInt(text, column[row], 10)
			case [][]byte:
				text = append(hex.AppendEncode(append(text, '"'), column[row]), '"')
			}
		}
		if len(a) > 1 {
			text = append(text, ']')
		}
	}
	return []any{string(append(text, ']'))}
}

// Write writes the query of the table, for a WITH clause.
func (a Arrays) Write(b *entsql.Builder) {
	given := a.given()
	if b.Dialect() == dialect.Postgres {
		b.WriteString("SELECT * FROM unnest(")
		for i, column := range given {
			if i > 0 {
				b.Comma()
			}
			typ := "::bigint[]"
			if _, ok := column.([][]byte); ok {
				typ = "::bytea[]"
			}
			b.Arg(column).WriteString(typ)
		}
		if b.WriteString(")"); len(given) < len(a) {
			b.WriteString(" WITH ORDINALITY")
		}
		return
	}
	b.WriteString("SELECT ")
	for i, column := range a {
		if i > 0 {
			b.Comma()
		}
		value := "value"
		if len(given) > 1 {
			value = "value ->> " + strconv.Itoa(i)
		}
		switch column.(type) {
		case RowNumber:
			value = "key + 1"
		case [][]byte:
			value = "unhex(" + value + ")"
		}
		b.WriteString(value)
	}
	b.WriteString(" FROM json_each(").Arg(a.Args(dialect.SQLite)[0]).WriteString(")")
}

// As writes AS and the query of the table, for a WITH clause. SQLite materializes it, because
// it would evaluate the values again at each use.
func (a Arrays) As(b *entsql.Builder) {
	if b.WriteString(" AS "); b.Dialect() == dialect.SQLite {
		b.WriteString("MATERIALIZED ")
	}
	b.Wrap(a.Write)
}

// Select returns a SELECT from the table under a name with its columns, such as k(n, b).
// write writes what follows SELECT.
func (a Arrays) Select(database, name string, write func(*entsql.Builder)) entsql.Querier {
	return entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(database)
		a.As(b.WriteString("WITH " + name))
		write(b.WriteString(" SELECT "))
	})
}
