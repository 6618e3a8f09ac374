package graph_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/graph"
	"mintburn/internal/database"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
	"mintburn/internal/testing/storetest"
)

// damages make some reads of a populated SQLite database fail: those of totals and of collections'
// names, those of some transactions, one by one, and those of versions and of the attributes of the
// second collection's tokens.
var damages = []string{
	"ALTER TABLE counters RENAME TO removed_counters",
	"ALTER TABLE contract_metadata RENAME TO removed_names",
	"ALTER TABLE collection_words RENAME TO removed_words",
	"UPDATE transactions SET sender = x'01' WHERE id % 5 < 2",
	"ALTER TABLE versions RENAME TO removed_versions",
	"UPDATE tokens SET attributes = '[{' WHERE contract_id = 2",
}

// failing is a store whose reads fail on request, and the executors over it.
type failing struct {
	*write.DB
	values             map[string][]string
	schema             *fastql.Schema
	written, generated fasttest.Asker
	// names replaces placeholders in documents by ids, an address and a cursor.
	names *strings.Replacer
	// sent holds the statements of the last operation. each, if set, is called before a
	// statement runs.
	sent []string
	each func(statement string)
}

// openFailing returns a populated store after these damages.
func openFailing(t testing.TB, damages ...string) *failing {
	t.Helper()
	f, dsn := &failing{}, storetest.SQLite(t)
	var err error
	f.DB, err = write.Open(t.Context(), dsn, write.Options{Options: database.Options{OnStatement: func(text string, _ []any) {
		if f.sent = append(f.sent, text); f.each != nil {
			f.each(text)
		}
	}}})
	expect.NoError(t, err)
	t.Cleanup(func() { expect.NoError(t, f.Close()) })
	f.values, _ = populate(t, f.DB)
	f.name(t)
	raw, err := sql.Open("sqlite3", dsn)
	expect.NoError(t, err)
	defer raw.Close()
	for _, statement := range damages {
		_, err := raw.ExecContext(t.Context(), statement)
		expect.NoError(t, err)
	}
	f.schema = graph.NewSchema(f.DB.MaxPageSize(), now)
	f.written, f.generated = newAsker(f.DB, f.schema), newAsker(f.DB, graph.NewGenerated(f.DB, now))
	return f
}

// name sets the names: the first mint, with its token and collection, one with damaged
// attributes, one with damaged details, and a cursor before all changes.
func (f *failing) name(t testing.TB) {
	t.Helper()
	snapshot := store.NewSnapshot(f.Snapshot())
	defer snapshot.Close()
	listed, err := snapshot.Page(store.Filter{Kind: nft.Mint, Partial: true}, page.Args{First: ptr(12)})
	expect.NoError(t, err)
	expect.NoError(t, listed.Read(t.Context(), nil))
	first := listed.Items[0]
	f.names = strings.NewReplacer("MINT", `"`+first.ID()+`"`, "BAD", `"`+listed.Items[1].ID()+`"`, "LATER", `"`+listed.Items[11].ID()+`"`,
		"TOKEN", `"`+store.TokenNodeID(nft.TokenKey{Contract: first.Contract, TokenID: first.TokenID})+`"`,
		"COLLECTION", `"`+store.CollectionNodeID(first.Contract)+`"`, "ADDRESS", quoted(first.Contract), "CURSOR", f.values["changes.after"][0])
}

// ask answers a document with a plan. It fails the test if the answer differs from gqlgen's,
// apart from indexes in paths, if the path of an error does not lead to null, or if there is
// another answer, until which streams call the handler.
func (f *failing) ask(t *testing.T, text string, given map[string]any) *graphql.Response {
	t.Helper()
	document, err := f.written.Parse(f.names.Replace(text))
	expect.NoError(t, err)
	variables, err := f.written.Coerce(document, given)
	expect.NoError(t, err)
	want := f.generated.Ask(t.Context(), document, variables)
	f.sent = nil
	next, ctx := f.written.Start(t.Context(), document, variables)
	got := next(ctx)
	if again := next(ctx); again != nil {
		t.Errorf("%s: a second answer %s", text, again.Data)
	}
	if diff := cmp.Diff(fasttest.Shown(t, want), fasttest.Shown(t, got)); diff != "" {
		t.Errorf("%s (-generated +written):\n%s", text, diff)
	}
	var data any
	expect.NoError(t, json.Unmarshal(got.Data, &data))
	for _, e := range got.Errors {
		if !leadsToNull(data, e.Path) {
			t.Errorf("%s: there is no null at %s", text, e.Path)
		}
	}
	return got
}

// leadsToNull reports whether the value at a path, or one above it, is null.
func leadsToNull(data any, path ast.Path) bool {
	for _, element := range path {
		switch at := data.(type) {
		case map[string]any:
			data = at[string(element.(ast.PathName))]
		case []any:
			data = at[element.(ast.PathIndex)]
		}
	}
	return data == nil
}

// reads reports whether a statement reads a table.
func reads(statement, table string) bool {
	return regexp.MustCompile("(FROM|JOIN) `?" + table + "\\b").MatchString(statement)
}

// count returns how many statements of the last operation read a table.
func (f *failing) count(table string) (n int) {
	for _, statement := range f.sent {
		if reads(statement, table) {
			n++
		}
	}
	return n
}

// TestFailing_EqualsGenerated compares random operations, as TestFast_EqualsGenerated does. The
// damages are those of fields that fail for all objects or for each alone, because a plan reads the
// batch fields of more objects together than gqlgen's execution.
func TestFailing_EqualsGenerated(t *testing.T) {
	f := openFailing(t, damages[:3]...)
	compareRandom(t, f.DB, f.values, nil, 1000)
}

// unplanned begins an operation that gqlgen answers as a whole if $b is null.
const unplanned = `query($b: Boolean = true) { __type(name: "Mint") { fields(includeDeprecated: $b) { name } } `

// TestFailing_EqualGenerated runs an operation for each place where a read can fail or panic,
// and checks the number of root fields that plans leave to gqlgen, and that gqlgen does not
// repeat what the plan has read: the root field, and what failed.
func TestFailing_EqualGenerated(t *testing.T) {
	f := openFailing(t, damages...)
	for name, test := range map[string]struct {
		text      string
		generated int64
		// once are the tables that are read once; reads of the table panics panic.
		once, panics string
	}{
		"items of a list":              {`{ mints(first: 3, partial: true) { data { id metadata { attributes { value } } } } }`, 1, "mints tokens", ""},
		"an item of a list":            {`{ nodes(ids: [MINT, BAD, MINT]) { ... on Mint { metadata { attributes { value } } } } }`, 1, "", ""},
		"above a batch field":          {`{ nodes(ids: [MINT, BAD]) { ... on Mint { metadata { attributes { value } token { id } } } } }`, 1, "", ""},
		"below a batch field":          {`{ nodes(ids: [BAD]) { ... on Mint { token { lastMint { metadata { attributes { value } } } } } } }`, 1, "tokens", ""},
		"a field of an interface":      {`{ changes(after: CURSOR, first: 9, kinds: ADDED) { changes { kind ... on RecordAdded { transfer { id metadata { attributes { value } } } } } } }`, 1, "", ""},
		"beside a batch field":         {`{ nodes(ids: [MINT, TOKEN, BAD]) { id ... on Mint { metadata { attributes { value } } } ... on Token { state } } }`, 1, "", ""},
		"a batch field":                {`{ collections(first: 4, partial: true) { data { name address } } }`, 1, "contracts contract_metadata", ""},
		"a batch field of one object":  {`{ collection(address: ADDRESS) { name } }`, 1, "contract_metadata", ""},
		"a batch field of a type":      {`{ nodes(ids: [MINT, COLLECTION, TOKEN]) { id ... on Collection { name } } }`, 1, "contract_metadata", ""},
		"of lists of lists":            {`{ collections(partial: true) { data { mints(first: 3, partial: true) { data { metadata { versions { limit } } } } } } }`, 1, "versions", ""},
		"for some objects":             {`{ mints(first: 40, partial: true) { data { transaction { details { from } } } } }`, 1, "mints transactions", ""},
		"for some of a type":           {`{ nodes(ids: [TOKEN, MINT, LATER]) { id ... on Mint { transaction { details { from } } } } }`, 1, "transactions", ""},
		"for some of lists":            {`{ collections(partial: true) { data { mints(first: 9, partial: true) { data { transaction { details { from } } } } } } }`, 1, "transactions", ""},
		"for some of lists of lists":   {`{ collections(partial: true) { data { tokens(first: 3, partial: true) { data { mints(first: 3, partial: true) { edges { node { transaction { details { from } } } } } } } } } }`, 1, "transactions", ""},
		"a field that forbids null":    {`{ mints(first: 1, partial: true) { totalItems data { id } } }`, 1, "mints", ""},
		"fields that forbid null":      {`{ collections(first: 3, partial: true) { data { address mints(partial: true) { totalItems } } } }`, 1, "contracts", ""},
		"root fields":                  {`{ a: collections(search: "s", partial: true) { data { id } } b: mints(first: 1, partial: true) { data { id } } c: node(id: "x") { id } }`, 2, "collection_words mints", ""},
		"arguments that are wrong":     {`{ mints(fromBlock: "z") { page } collection(address: ADDRESS) { id mintedItems(atBlock: "z") } }`, 2, "contracts", ""},
		"a result with errors":         {`{ nodes(ids: ["x", BAD]) { id ... on Mint { metadata { attributes { value } } } } }`, 1, "", ""},
		"a panic of a resolver":        {`{ node(id: MINT) { id } burns(first: 1, partial: true) { data { id } } }`, 1, "mints burns", "mints"},
		"a panic of a page":            {`{ mints(first: 1, partial: true) { data { id } } burns(first: 1, partial: true) { data { id } } }`, 1, "mints burns", "mints"},
		"a panic below the root":       {`{ collections(first: 2, partial: true) { data { id } indexed { fromBlock } } }`, 1, "contracts", "coverage"},
		"a panic of a batch field":     {`{ mints(first: 2, partial: true) { data { id transaction { details { from } } } } }`, 1, "mints", "transactions"},
		"an operation without a plan":  {unplanned + `collections(search: "s", partial: true) { data { id } } mints(first: 1, partial: true) { data { id } } }`, 1, "collection_words mints", ""},
		"subscription":                 {`subscription { a: changes(after: CURSOR, kinds: ADDED) { cursor changes { ... on RecordAdded { transfer { id token { id } } } } } }`, 0, "", ""},
		"subscription: a fragment":     {`subscription { ...F } fragment F on Subscription { changes(after: CURSOR) { more } }`, 0, "", ""},
		"subscription: an error":       {`subscription { changes(after: "x") { cursor } }`, 1, "", ""},
		"subscription: a panic":        {`subscription { changes(after: CURSOR) { cursor } }`, 1, "", "changes"},
		"subscription: an error below": {`subscription { changes(after: CURSOR, kinds: ADDED) { changes { ... on RecordAdded { transfer { metadata { attributes { value } } } } } } }`, 1, "", ""},
		"subscription: no plan":        {"subscription(" + apitest.Repeat(65, func(i int) string { return fmt.Sprintf("$b%d: Boolean = true ", i) }) + `) { changes(after: CURSOR) { more ` + apitest.Repeat(65, func(i int) string { return fmt.Sprintf("a%d: more @skip(if: $b%d) ", i, i) }) + "} }", 1, "", ""},
		"nothing":                      {`{ mints @skip(if: true) { page } }`, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f.each = func(statement string) {
				if test.panics != "" && reads(statement, test.panics) {
					panic("a panic")
				}
			}
			before := f.schema.Generated()
			r := f.ask(t, test.text, map[string]any{"b": nil})
			t.Logf("%.400s %v", r.Data, r.Errors)
			if n := f.schema.Generated() - before; n != test.generated {
				t.Errorf("gqlgen answered %d root fields, want %d", n, test.generated)
			}
			for table := range strings.FieldsSeq(test.once) {
				if n := f.count(table); n != 1 {
					t.Errorf("%s is read %d times, want once", table, n)
				}
			}
		})
	}
}
