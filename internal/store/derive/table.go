package derive

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/collectionword"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/trait"
	"mintburn/ent/traitvalue"
	"mintburn/internal/database"
	"mintburn/internal/store/facet"
)

// Hidden are the tables whose rows [State.Fill] derives.
var Hidden = []string{contract.Table, contractmetadata.Table, collectionword.Table, trait.Table, traitvalue.Table, facet.Index}

// Table are derived rows to compare.
type Table struct {
	// Name is the table; the first Key of Columns identify a row.
	Name    string
	Key     int
	Columns []string
	// rows are the statements that read the selected columns of the stored rows of the unit, and of
	// the derived ones. named joins the table that has Columns to the rows that differ, d. It is
	// empty if Columns are selected.
	selected []string
	rows     [2]entsql.Querier
	named    string
}

// Tables returns the derived tables of collections.
func (s State) Tables(tx *database.Tx, of Collections) []Table {
	counts := []string{contract.FieldID}
	for _, c := range s.columns(tx.Dialect()) {
		counts = append(counts, c.Name)
	}
	if !s.Loading {
		counts = append(counts, ExcessColumns...)
	}
	values := []string{traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, traitvalue.FieldN}
	traits := []string{trait.FieldContractID, trait.FieldTrait, trait.FieldDistinctValues}
	if s.Counted == nil {
		values, traits = append(values, traitvalue.FieldTokens, traitvalue.FieldText), append(traits, trait.FieldTokens, trait.FieldName)
	}
	table := func(name string, key int, columns []string, where string) Table {
		text, where := "SELECT "+strings.Join(columns, ", ")+" FROM ", " WHERE "+where
		return Table{Name: name, Key: key, Columns: columns, selected: columns, rows: [2]entsql.Querier{entsql.Raw(text + tx.Stored(name) + where), entsql.Raw(text + name + where)}}
	}
	list := []Table{
		table(contract.Table, 1, counts, of.where(contract.FieldID)),
		table(contractmetadata.Table, 1, []string{contractmetadata.FieldContractID, contractmetadata.FieldName, contractmetadata.FieldSymbol}, contractmetadata.FieldContractID+" IN (SELECT id FROM "+contract.Table+")"),
		table(collectionword.Table, 2, []string{collectionword.FieldContractID, collectionword.FieldID, collectionword.FieldShared}, of.where(collectionword.FieldContractID)),
		// A trait that no document has any more keeps its row.
		table(trait.Table, 2, traits, "(distinct_values <> 0 OR tokens <> 0) AND "+of.where(trait.FieldContractID)),
		table(traitvalue.Table, 3, values, of.where(traitvalue.FieldContractID)),
	}
	if s.Index != nil {
		list = append(list, entries(tx, of))
	}
	return list
}

// entries returns the index of tokens. A derived value has another number than the stored one of
// its name; one that is not stored differs by itself.
func entries(tx *database.Tx, of Collections) Table {
	values, index := tx.Stored(traitvalue.Table), tx.Stored(facet.Index)
	stored := "SELECT i.value_id, i.token_id FROM " + values + " AS v JOIN " + index + " AS i ON i.value_id = v.id WHERE " + of.where("v.contract_id")
	derived := "SELECT v.id AS value_id, i.token_id FROM " + traitvalue.Table + " AS n JOIN " + values + " AS v ON v.contract_id = n.contract_id AND v.trait = n.trait AND v.value = n.value JOIN " +
		facet.Index + " AS i ON i.value_id = n.id WHERE " + of.where("n.contract_id")
	return Table{
		Name: facet.Index, Key: 4, Columns: []string{traitvalue.FieldContractID, traitvalue.FieldTrait, traitvalue.FieldValue, "token_id"},
		selected: []string{"value_id", "token_id"}, rows: [2]entsql.Querier{entsql.Raw(stored), entsql.Raw(derived)}, named: " JOIN " + values + " AS v ON v.id = d.value_id",
	}
}

// Difference is a row that is stored otherwise than it is derived. Stored and Derived are the
// values of the table's columns, nil if there is no such row.
type Difference struct{ Stored, Derived []driver.Value }

// Key returns the values that identify the row.
func (d Difference) Key(of Table) []driver.Value { return append(d.Stored, d.Derived...)[:of.Key] }

// What says what differs.
func (d Difference) What(of Table) string {
	switch {
	case d.Stored == nil:
		return "the row is missing"
	case d.Derived == nil:
		return "nothing gives the row"
	}
	var list []string
	for i, column := range of.Columns {
		if !equal(d.Stored[i], d.Derived[i]) {
			list = append(list, fmt.Sprintf("%s is %s, its rows give %s", column, shown(d.Stored[i]), shown(d.Derived[i])))
		}
	}
	return strings.Join(list, ", ")
}

// shown returns a value for people.
func shown(v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case []byte:
		return fmt.Sprintf("0x%x", v)
	case string:
		const most = 40
		if runes := []rune(v); len(runes) > most {
			v = string(runes[:most]) + "…"
		}
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

func equal(a, b driver.Value) bool {
	if a, ok := a.([]byte); ok {
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	}
	return a == b
}

// Compare calls differ for each row of a shadow that differs from the stored one. differ must
// not use the transaction.
func (t Table) Compare(ctx context.Context, tx *database.Tx, differ func(Difference) error) error {
	statement := entsql.ExprFunc(func(b *entsql.Builder) {
		b.SetDialect(tx.Dialect())
		columns := strings.Join(t.selected, ", ")
		b.WriteString("SELECT side, " + strings.Join(t.Columns, ", ") + " FROM (SELECT min(side) AS side, " + columns + " FROM (SELECT 0 AS side, s.* FROM ")
		b.Wrap(func(b *entsql.Builder) { b.Join(t.rows[0]) }).WriteString(" AS s UNION ALL SELECT 1, d.* FROM ")
		b.Wrap(func(b *entsql.Builder) { b.Join(t.rows[1]) }).WriteString(" AS d) AS sides GROUP BY " + columns + " HAVING min(side) = max(side)) AS d" + t.named)
		b.WriteString(" ORDER BY ")
		for i := range t.Key {
			b.WriteString(fmt.Sprintf("%d, ", i+2))
		}
		b.WriteString("1")
	})
	var last Difference
	end := func() error {
		if last.Stored == nil && last.Derived == nil {
			return nil
		}
		return differ(last)
	}
	err := tx.Query(ctx, statement, func(row *database.Row) error {
		side, values := row.Int64(), make([]driver.Value, len(t.Columns))
		for i := range values {
			values[i] = row.Value()
			if b, ok := values[i].([]byte); ok {
				values[i] = bytes.Clone(b)
			}
		}
		if row.Err() != nil {
			return row.Err()
		}
		if side > 0 && last.Stored != nil && slices.EqualFunc(last.Stored[:t.Key], values[:t.Key], equal) {
			last.Derived = values
			return nil
		}
		err := end()
		if last = (Difference{Stored: values}); side > 0 {
			last = Difference{Derived: values}
		}
		return err
	})
	return cmp.Or(database.Wrap(err, "comparing %s", t.Name), end())
}
