package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"mintburn/ent/migrate"
	"mintburn/internal/expect"
	"mintburn/internal/store"
)

// column is what ent's schema and a database must agree on.
type column struct {
	Type     string
	Nullable bool
	Key      bool
}

// declared returns the columns that ent's schema declares, by table.column.
func declared(postgres bool) map[string]column {
	columns := map[string]column{}
	for _, table := range migrate.Tables {
		for _, c := range table.Columns {
			key := len(table.PrimaryKey) == 1 && table.PrimaryKey[0] == c
			columns[table.Name+"."+c.Name] = column{Type: columnType(c, postgres), Nullable: c.Nullable, Key: key}
		}
	}
	return columns
}

// columnType returns the database's own name for a type of ent.
func columnType(c *schema.Column, postgres bool) string {
	names := map[field.Type][2]string{
		field.TypeInt: {"integer", "bigint"}, field.TypeInt64: {"integer", "bigint"},
		field.TypeInt32: {"integer", "integer"}, field.TypeUint64: {"integer", "bigint"},
		// What is stored is below 2^30.
		field.TypeUint32: {"integer", "integer"},
		field.TypeInt8:   {"integer", "smallint"},
		field.TypeBytes:  {"blob", "bytea"}, field.TypeBool: {"boolean", "boolean"},
		field.TypeString: {"text", "text"}, field.TypeEnum: {"text", "text"},
	}
	name, ok := names[c.Type]
	if !ok {
		return fmt.Sprintf("a type that this test does not know: %s", c.Type)
	}
	if postgres {
		return name[1]
	}
	return name[0]
}

// migrated returns the columns that a database has.
func migrated(t *testing.T, db *sql.DB, postgres bool) map[string]column {
	t.Helper()
	query := `SELECT m.name, c.name, lower(c.type), c."notnull" = 0 AND c.pk = 0, c.pk > 0 FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT IN ('schema_version', 'sqlite_sequence')`
	if postgres {
		query = `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES', k.column_name IS NOT NULL
			FROM information_schema.columns c
			LEFT JOIN information_schema.table_constraints p
				ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
			LEFT JOIN information_schema.key_column_usage k
				ON k.constraint_name = p.constraint_name AND k.table_schema = c.table_schema AND k.column_name = c.column_name
			WHERE c.table_schema = 'public' AND c.table_name <> 'schema_version'`
	}
	rows, err := db.QueryContext(t.Context(), query)
	expect.NoError(t, err)
	defer rows.Close()
	columns := map[string]column{}
	for rows.Next() {
		var table, name string
		var c column
		expect.NoError(t, rows.Scan(&table, &name, &c.Type, &c.Nullable, &c.Key))
		columns[table+"."+name] = c
	}
	expect.NoError(t, rows.Err())
	return columns
}

func TestSchema_IsThatOfEnt(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		open(t, dsn, store.Options{})
		expect.Equal(t, "columns", declared(isPostgres(dsn)), migrated(t, raw(t, dsn), isPostgres(dsn)))
	})
}

// TestSchema_HasTheIndexesOfEnt compares the columns of each index; SQLite ends
// each with the key by itself.
func TestSchema_HasTheIndexesOfEnt(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		open(t, dsn, store.Options{})
		want := map[string]int{}
		for _, table := range migrate.Tables {
			for _, index := range table.Indexes {
				var names []string
				for _, c := range index.Columns {
					if isPostgres(dsn) || c.Name != "id" {
						names = append(names, c.Name)
					}
				}
				want[fmt.Sprintf("%s(%s) unique=%v", table.Name, strings.Join(names, ","), index.Unique)]++
			}
		}
		query := `SELECT m.tbl_name, group_concat(c.name), l."unique" FROM sqlite_schema m, pragma_index_list(m.tbl_name) l, pragma_index_info(l.name) c
			WHERE m.type = 'index' AND m.name = l.name AND l.origin <> 'pk' AND m.tbl_name <> 'schema_version' GROUP BY m.name`
		if isPostgres(dsn) {
			query = `SELECT t.relname, string_agg(a.attname, ',' ORDER BY k.n), i.indisunique
				FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace,
				LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, n) JOIN pg_attribute a ON a.attnum = k.attnum
				WHERE a.attrelid = t.oid AND s.nspname = 'public' AND NOT i.indisprimary AND t.relname <> 'schema_version'
				GROUP BY i.indexrelid, t.relname, i.indisunique`
		}
		rows, err := raw(t, dsn).QueryContext(t.Context(), query)
		expect.NoError(t, err)
		defer rows.Close()
		got := map[string]int{}
		for rows.Next() {
			var table, names string
			var unique bool
			expect.NoError(t, rows.Scan(&table, &names, &unique))
			got[fmt.Sprintf("%s(%s) unique=%v", table, names, unique)]++
		}
		expect.NoError(t, rows.Err())
		expect.Equal(t, "indexes", want, got)
	})
}
