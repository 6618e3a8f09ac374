package export

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

var update = flag.Bool("update", false, "rewrite the DDL in docs/data.md")

// described is a set of rows with its columns and key columns.
type described struct {
	name    string
	columns []Column
	key     []string
}

func of[T any](name string, columns []column[T], key ...string) described {
	d := described{name: name, key: key}
	for i := range columns {
		d.columns = append(d.columns, columns[i].Column)
	}
	return d
}

var records = []string{"block_number", "log_index", "sub_index"}

func sets() []described {
	return []described{
		of(Mints, transferColumns, records...), of(Burns, transferColumns, records...),
		of(Tokens, tokenColumns, "token_address", "token_id"),
		of(Metadata, documentColumns, "collection_address", "token_id"),
		of(Collections, collectionColumns, "address"),
		of(Blocks, blockColumns, "block_number"), of(Rejected, rejectedColumns, "block_number", "log_index"),
	}
}

// engine is a database that loads exports.
type engine struct {
	name string
	// types holds the column type of each Kind.
	types [6]string
	// quote is the quote character for reserved names.
	quote string
	// null returns the type of a column that may, or may not, be null.
	null func(kind string, null bool) string
	// end returns the end of the statement, after the columns.
	end func(key string) string
}

func notNull(kind string, null bool) string {
	if null {
		return kind
	}
	return kind + " NOT NULL"
}

func primaryKey(key string) string { return ",\n    PRIMARY KEY (" + key + ")\n);\n" }

var engines = []engine{
	{"duckdb", [6]string{"VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "VARCHAR", `STRUCT(trait_type VARCHAR, value VARCHAR, max_value DOUBLE, trait_count BIGINT, "order" BIGINT)[]`}, `"`, notNull, primaryKey},
	{"postgres", [6]string{"text", "text", "numeric(78, 0)", "bigint", "text", "jsonb"}, `"`, notNull, primaryKey},
	{"clickhouse", [6]string{"String", "LowCardinality(String)", "UInt256", "Int64", "String", "Array(Tuple(trait_type String, value String, max_value Nullable(Float64), trait_count Int64, order Int64))"}, `"`, func(kind string, null bool) string {
		if null {
			return "Nullable(" + kind + ")"
		}
		return kind
	}, func(key string) string { return "\n) ENGINE = MergeTree ORDER BY (" + key + ");\n" }},
	{"bigquery", [6]string{"STRING", "STRING", "STRING", "INT64", "STRING", "ARRAY<STRUCT<trait_type STRING, value STRING, max_value FLOAT64, trait_count INT64, `order` INT64>>"}, "`", func(kind string, null bool) string {
		// An array is never null.
		return notNull(kind, null || strings.HasPrefix(kind, "ARRAY"))
	}, func(string) string { return "\n);\n" }},
}

// ddl returns the statement that creates the table of a set.
func (e engine) ddl(d described) string {
	text, line := "CREATE TABLE "+d.name+" (", ""
	for i, c := range d.columns {
		name := c.Name
		if name == "from" || name == "to" {
			name = e.quote + name + e.quote
		}
		kind := e.types[c.Kind]
		if c.Kind == Name && c.Name == "id" && e.name == "clickhouse" {
			kind = "String"
		}
		word := name + " " + e.null(kind, c.Null)
		if i < len(d.columns)-1 {
			word += ","
		}
		if len(line)+len(word) > 110 || i == 0 {
			text, line = text+line+"\n", "   "
		}
		line += " " + word
	}
	return text + line + e.end(strings.Join(d.key, ", "))
}

// TestDocs_DDL checks that docs/data.md contains the DDL of every engine for the columns.
func TestDocs_DDL(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "data.md")
	text, err := os.ReadFile(file)
	expect.NoError(t, err)
	documented := string(text)
	for _, e := range engines {
		var all []string
		for _, d := range sets() {
			all = append(all, e.ddl(d))
		}
		documented = replaceBlock(t, documented, "sql "+e.name+" tables", strings.Join(all, "\n"))
	}
	if *update {
		expect.NoError(t, os.WriteFile(file, []byte(documented), 0o644))
		return
	}
	expect.Equal(t, "docs/data.md: run with -update", documented, string(text))
}

// replaceBlock replaces the content of the fenced block with this info string. There must
// be exactly one.
func replaceBlock(t *testing.T, text, info, with string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```" + info + "\n.*?```\n")
	if n := len(block.FindAllString(text, -1)); n != 1 {
		t.Fatalf("docs/data.md has %d blocks %q, want one", n, info)
	}
	return block.ReplaceAllLiteralString(text, fmt.Sprintf("```%s\n%s```\n", info, with))
}

// kinds holds the name of each Kind in docs/data.md.
var kinds = [...]string{"hex", "name", "decimal", "integer", "text", "list"}

// TestDocs_Columns checks that docs/data.md lists the columns of each set with their kinds.
func TestDocs_Columns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "data.md"))
	expect.NoError(t, err)
	for _, d := range sets() {
		var names []string
		for _, c := range d.columns {
			name := "`" + c.Name + "` " + kinds[c.Kind]
			if c.Null {
				name += "?"
			}
			names = append(names, name)
		}
		title := "`" + d.name + "`"
		if d.name == Mints {
			title = "`mints`, `burns`"
		}
		row := "| " + title + " | " + strings.Join(names, ", ") + " | `" + strings.Join(d.key, "`, `") + "` |\n"
		if d.name != Burns && !strings.Contains(string(text), row) {
			t.Errorf("docs/data.md has no row %s", row)
		}
	}
}
