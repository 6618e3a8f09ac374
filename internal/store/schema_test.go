package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
	"entgo.io/ent/schema/field"
	"github.com/pressly/goose/v3"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
	"mintburn/internal/testing/storetest"
)

// column has the properties of a column that ent's schema and a database must agree on.
type column struct {
	Type     string
	Nullable bool
	Key      bool
}

// tablesOfEnt returns the tables that ent's schema declares.
func tablesOfEnt(t *testing.T) []*schema.Table {
	t.Helper()
	storage, err := gen.NewStorage("sql")
	expect.NoError(t, err)
	graph, err := entc.LoadGraph("../../ent/schema", &gen.Config{Storage: storage})
	expect.NoError(t, err)
	tables, err := graph.Tables()
	expect.NoError(t, err)
	return tables
}

// declared returns the columns of tables by "table.column".
func declared(tables []*schema.Table, postgres bool) map[string]column {
	columns := map[string]column{}
	for _, table := range tables {
		for _, c := range table.Columns {
			key := len(table.PrimaryKey) == 1 && table.PrimaryKey[0] == c
			columns[table.Name+"."+c.Name] = column{Type: columnType(c, postgres), Nullable: c.Nullable, Key: key}
		}
	}
	return columns
}

// columnType returns the database's name for a type of ent.
func columnType(c *schema.Column, postgres bool) string {
	names := map[field.Type][2]string{
		field.TypeInt: {"integer", "bigint"}, field.TypeInt64: {"integer", "bigint"},
		field.TypeInt32: {"integer", "integer"}, field.TypeUint64: {"integer", "bigint"},
		// Stored values are below 2^30.
		field.TypeUint32: {"integer", "integer"},
		field.TypeInt8:   {"integer", "smallint"},
		field.TypeBytes:  {"blob", "bytea"}, field.TypeBool: {"boolean", "boolean"},
		field.TypeString: {"text", "text"}, field.TypeEnum: {"text", "text"},
	}
	name, ok := names[c.Type]
	if !ok {
		return fmt.Sprintf("unknown to this test: %s", c.Type)
	}
	if postgres {
		return name[1]
	}
	return name[0]
}

// migrated returns the columns of a database.
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
			WHERE c.table_schema = 'public' AND c.table_name <> 'schema_version' AND c.table_name NOT LIKE 'v\_%'`
	}
	rows, err := db.QueryContext(t.Context(), query)
	expect.NoError(t, err)
	defer rows.Close()
	columns := map[string]column{}
	for rows.Next() {
		var table, name string
		var c column
		expect.NoError(t, rows.Scan(&table, &name, &c.Type, &c.Nullable, &c.Key))
		if table != lockTable && table != facet.Index && table != digest.Table {
			columns[table+"."+name] = c
		}
	}
	expect.NoError(t, rows.Err())
	return columns
}

// lockTable is a table of goose, which only a database behind a pooler has.
const lockTable = "goose_lock"

// TestSchema_MatchesEnt compares the columns of each table and index. SQLite appends the
// key to each index by itself. ent has no indexes on expressions.
func TestSchema_MatchesEnt(t *testing.T) {
	skipShort(t)
	tables := tablesOfEnt(t)
	onEmpty(t, func(t *testing.T, dsn string) {
		open(t, dsn, write.Options{})
		expect.Equal(t, "columns", declared(tables, isPostgres(dsn)), migrated(t, raw(t, dsn), isPostgres(dsn)))
		checkIndexes(t, dsn, tables)
	})
}

func checkIndexes(t *testing.T, dsn string, tables []*schema.Table) {
	t.Helper()
	want := map[string]int{}
	for _, table := range tables {
		for _, index := range table.Indexes {
			var names []string
			for i, c := range index.Columns {
				if isPostgres(dsn) || c.Name != "id" || i == 0 {
					names = append(names, c.Name)
				}
			}
			want[fmt.Sprintf("%s(%s) unique=%v", table.Name, strings.Join(names, ","), index.Unique)]++
		}
	}
	query := `SELECT m.tbl_name, group_concat(c.name), l."unique" FROM sqlite_schema m, pragma_index_list(m.tbl_name) l, pragma_index_info(l.name) c
		WHERE m.type = 'index' AND m.name = l.name AND l.origin <> 'pk' AND m.tbl_name <> 'schema_version' AND c.name IS NOT NULL GROUP BY m.name`
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
}

// oldSchema returns an empty database of an earlier version of the schema.
func oldSchema(t *testing.T, dsn string, version int64) *sql.DB {
	t.Helper()
	db, dialect, dir := raw(t, dsn), goose.DialectSQLite3, "migrations/sqlite"
	if isPostgres(dsn) {
		dialect, dir = goose.DialectPostgres, "migrations/postgres"
	}
	provider, err := goose.NewProvider(dialect, db, os.DirFS(dir), goose.WithTableName("schema_version"), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = provider.UpTo(t.Context(), version)
	}
	expect.NoError(t, err)
	return db
}

// TestMigrate_Names checks that an interrupted load of an earlier version is finished,
// though the indexed columns were renamed since.
func TestMigrate_Names(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		oldSchema(t, dsn, 3)
		last := "head"
		if isPostgres(dsn) {
			last = "head, id"
		}
		execute(t, dsn,
			"INSERT INTO settings (id, value) VALUES ('postp' || 'oned', '"+strings.NewReplacer("@", "head", "#", last).Replace(
				`["CREATE INDEX mints_tx ON mints (tx_#)","CREATE INDEX burns_account ON burns (account_#)","CREATE INDEX blocks_hash ON blocks (hash_@)"]`)+"')",
			"DROP INDEX mints_tx", "DROP INDEX burns_account", "DROP INDEX blocks_hash",
		)
		s := open(t, dsn, write.Options{})
		if !loading(t, s) {
			t.Error("the database is no longer loading")
		}
		finishLoad(t, s)
		fresh := storetest.SQLite(t)
		if isPostgres(dsn) {
			fresh = pgtest.DSN(t)
		}
		open(t, fresh, write.Options{})
		expect.Equal(t, "indexes", indexes(t, fresh), indexes(t, dsn))
		if loading(t, s) {
			t.Error("the database is still loading")
		}
	})
}

// TestMigrate_TextsLast checks that the texts of earlier versions are read unchanged.
func TestMigrate_TextsLast(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		db := oldSchema(t, dsn, 2)
		contract := "decode('" + strings.Repeat("ab", 20) + "', 'hex')"
		token := func(id uint64) string { return fmt.Sprintf("decode('%x', 'hex')", evm.NewUint256(id).Bytes()) }
		if !isPostgres(dsn) {
			contract = "x'" + strings.Repeat("ab", 20) + "'"
			token = func(id uint64) string { return fmt.Sprintf("x'%x'", evm.NewUint256(id).Bytes()) }
		}
		long := strings.Repeat("é", 10_000)
		execute(t, dsn,
			"INSERT INTO contracts (id, address, shapes, tokens) VALUES (4, "+contract+", 0, 2)",
			"INSERT INTO tokens (id, contract_id, token_id, uri, raw, fetched_at, updated_at, name, attributes) VALUES (9, 4, "+token(1)+", 'u/{id}', '{}', 6, 5, 'n', '[]\n')",
			"INSERT INTO tokens (id, contract_id, token_id, uri, raw, fetched_at, updated_at, description, image, external_url, image_data, background_color, youtube_url, animation_url, attributes) "+
				"VALUES (11, 4, "+token(2)+", 'u', '"+long+"', 8, 7, 'd', 'i', 'e', 'id', 'b', 'y', 'a', '[{\"trait_type\":\"t\",\"value\":\"\\u2028\",\"max_value\":1.5,\"trait_count\":3,\"order\":2}]\n')",
			"INSERT INTO resolutions (id, contract_id, token_id, shape, state, turn, attempts, uri, error, tried_at, seen_block) VALUES (1, 4, "+token(3)+", 2, 'done', 99, 2, '"+long+"', 'no', 50, 40)",
		)
		key := func(id uint64) nft.TokenKey {
			k := nft.TokenKey{TokenID: evm.NewUint256(id)}
			for i := range k.Contract {
				k.Contract[i] = 0xab
			}
			return k
		}
		want := map[uint64]*nft.TokenMetadata{
			1: {TokenKey: key(1), Type: nft.ERC1155, State: nft.Resolved, URI: "u/{id}", Raw: "{}", FetchedAt: 6, UpdatedAt: 5, Metadata: nft.Metadata{Name: ptr("n")}},
			2: {TokenKey: key(2), Type: nft.ERC721, State: nft.Resolved, URI: "u", Raw: long, FetchedAt: 8, UpdatedAt: 7, Metadata: nft.Metadata{
				Description: ptr("d"), Image: ptr("i"), ExternalURL: ptr("e"), ImageData: ptr("id"), BackgroundColor: ptr("b"), YoutubeURL: ptr("y"), AnimationURL: ptr("a"),
				Attributes: []nft.Attribute{{TraitType: "t", Value: "\u2028", MaxValue: ptr(1.5), TraitCount: ptr(evm.Long(3)), Order: 2}},
			}},
			3: {TokenKey: key(3), Type: nft.ERC1155, State: nft.Failed, URI: long, FetchedAt: 50, Error: "no", Attempts: 2, NextTry: 99},
		}
		s := open(t, dsn, write.Options{})
		for id, m := range want {
			expect.Equal(t, fmt.Sprintf("token %d", id), m, metadataOf(t, s, m.Contract, id), sameMetadata)
		}
		var id, short int64
		row := db.QueryRowContext(t.Context(), "SELECT id, text_bytes - octet_length(raw) - octet_length(attributes) FROM tokens WHERE description = 'd'")
		if err := row.Scan(&id, &short); err != nil || id != 11 || short != 9 {
			t.Errorf("row %d has %d bytes of short texts, error %v, want row 11 with 9", id, short, err)
		}
	})
}
