package store_test

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenFile returns the path of the golden file, which has a line for each statement of pages, totals
// and boundaries.
func goldenFile(postgres bool) string {
	if postgres {
		return filepath.Join("testdata", "statements.postgres.txt")
	}
	return filepath.Join("testdata", "statements.sqlite.txt")
}

// headed is a statement and the first request that sends it.
type headed struct {
	statement
	heading string
}

// keyOf identifies a statement in the golden file.
func keyOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(canonical(text))))[:16] }

// TestStatements_MatchGoldenFile compares the file with the statements that a store sends
// for every accepted filter. -update rewrites the file, and beside it one with their texts, which git
// ignores: after -update of two commits, the difference of these is that of the statements. The texts of
// the pages in pageStatements are committed, to be read beside their builders.
func TestStatements_MatchGoldenFile(t *testing.T) {
	skipShort(t)
	blocks := planBlocks()
	onBoth(t, func(t *testing.T, dsn string) {
		writer := open(t, dsn, write.Options{})
		apply(t, writer, blocks)
		putTokens(t, writer)
		expect.NoError(t, writer.SetFinalized(t.Context(), blocks[40].Header))
		sent := &statements{}
		// A store that was just opened has no contracts in its cache.
		s := openNoting(t, dsn, sent)
		list := goldenStatements(t, snapshot(t, s), sent, blocks)
		name := goldenFile(isPostgres(dsn))
		if *update {
			var lines, texts strings.Builder
			for _, h := range list {
				fmt.Fprintf(&lines, "%s %s\n", keyOf(h.query), h.heading)
				fmt.Fprintf(&texts, "-- %s\n%s;\n\n", h.heading, layOut(h.query))
			}
			expect.NoError(t, os.WriteFile(name, []byte(lines.String()), 0o644))
			expect.NoError(t, os.WriteFile(strings.TrimSuffix(name, "txt")+"sql", []byte(texts.String()), 0o644))
		}
		checkPageTexts(t, strings.Replace(name, "statements", "pages", 1), list)
		file := readGolden(t, isPostgres(dsn))
		for _, h := range list {
			if file.planned[keyOf(h.query)] = true; file.list[keyOf(h.query)] != h.heading {
				t.Errorf("%s: this statement is not in %s: look at it, then run with -update\n%s\n%s", h.heading, name, layOut(h.query), planText(t, raw(t, dsn), isPostgres(dsn), h.statement))
			}
		}
		for _, key := range file.unplanned() {
			t.Errorf("no request sends %s of %s any more: run with -update", file.list[key], name)
		}
	})
}

// pageStatements are the requests for one page of each kind, by their headings.
var pageStatements = []string{
	"mints, ASC: page", "mints from a block on, ASC: page", "mints of a collection, ASC: page", "mints of a token of a collection, ASC: page",
	"mints of a transaction, ASC: page", "mints of an account of a collection, ASC: page", "mints of collections, ASC: page",
	"tokens of a collection: page", "tokens with 2 traits: page", "tokens with records of a collection: page", "collections: page",
	"collections by name: page", "traits of a collection: page",
}

// checkPageTexts compares a file with the texts of pageStatements.
func checkPageTexts(t *testing.T, name string, list []*headed) {
	t.Helper()
	var texts strings.Builder
	for _, heading := range pageStatements {
		found := false
		for _, h := range list {
			if h.heading == heading {
				found = true
				fmt.Fprintf(&texts, "-- %s\n%s;\n\n", h.heading, layOut(h.query))
			}
		}
		if !found {
			t.Errorf("no request is called %q", heading)
		}
	}
	name = strings.TrimSuffix(name, "txt") + "sql"
	if *update {
		expect.NoError(t, os.WriteFile(name, []byte(texts.String()), 0o644))
	}
	want, err := os.ReadFile(name)
	expect.NoError(t, err)
	if got := texts.String(); got != string(want) {
		t.Errorf("%s: look at it, then run with -update: got\n%s", name, got)
	}
}

// planText returns the plan of a statement.
func planText(t *testing.T, db *sql.DB, postgres bool, st statement) string {
	t.Helper()
	if !postgres {
		return sqlitePlan(t, db, st)
	}
	_, text := postgresPlan(t, db, st, "force_generic_plan")
	return text
}

// heading describes a filter without its values.
func heading(f store.Filter) string {
	name := f.Kind.String() + "s"
	for _, part := range []struct {
		set  bool
		name string
	}{
		{f.Block != nil && f.Block.Hash == nil, " of a block"},
		{f.Block != nil && f.Block.Hash != nil, " of a block by its hash"},
		{f.TransactionHash != nil, " of a transaction"},
		{f.Account != nil, " of an account"},
		{f.TokenID != nil, " of a token"},
		{f.Address != nil, " of a collection"},
		{f.Addresses != nil, " of collections"},
		{f.TransactionHashes != nil, " of transactions"},
		{f.Accounts != nil, " of accounts"},
		{f.Tokens != nil, " of tokens"},
		{f.FromBlock != nil && f.ToBlock == nil, " from a block on"},
		{f.FromBlock == nil && f.ToBlock != nil, " up to a block"},
		{f.FromBlock != nil && f.ToBlock != nil, " in a range"},
		{f.FromTime != nil || f.ToTime != nil, " in a range of times"},
	} {
		if part.set {
			name += part.name
		}
	}
	return name + ", " + string(f.Order)
}

// goldenStatements makes all requests, and returns each distinct statement with the first
// request that sends it.
func goldenStatements(t *testing.T, snap *store.Snapshot, sent *statements, blocks []nft.Block) []*headed {
	t.Helper()
	var list []*headed
	seen := map[string]bool{}
	note := func(heading string) {
		for _, st := range sent.take() {
			if key := keyOf(st.query); !seen[key] {
				seen[key] = true
				list = append(list, &headed{st, heading})
			}
		}
	}
	sent.take()
	for _, f := range planned(blocks) {
		walkRecords(t, snap, f, heading(f), note)
	}
	walkTokens(t, snap, note)
	walkSubjects(t, snap, note)
	walkListings(t, snap, note)
	walkChanges(t, snap, note)
	return list
}

// walkRecords makes all requests to the pages of a filter, and calls note with the name of
// each.
func walkRecords(t *testing.T, snap *store.Snapshot, f store.Filter, what string, note func(string)) {
	t.Helper()
	all := pageOf(t, snap, f, page.Args{})
	note(what + ": page")
	_, err := all.Metadata(t.Context(), allTexts)
	expect.NoError(t, err)
	note(what + ": token metadata of a page")
	totalOf(t, all)
	note(what + ": total")
	_, err = all.Buckets(t.Context(), page.Hour, true)
	expect.NoError(t, err)
	note(what + ": buckets")
	if all.Len() == 0 {
		return
	}
	walkPages(t, what, all.Cursor(all.Len()/2), func(args page.Args) pager { return pageOf(t, snap, f, args) }, note)
	_, err = snap.Node(t.Context(), all.Items[0].ID(), page.Selected{Texts: read.AllTexts})
	expect.NoError(t, err)
	note(fmt.Sprintf("%ss: one by its id", f.Kind))
}

// walkTokens is walkRecords for pages of tokens, and for the chain.
func walkTokens(t *testing.T, snap *store.Snapshot, note func(string)) {
	t.Helper()
	all := tokensOf(t, snap, collection(0), nil, page.Args{})
	note("tokens of a collection: page")
	totalOf(t, all)
	note("tokens of a collection: total")
	tokensOf(t, snap, collection(0), ptr(evm.NewUint256(7)), page.Args{})
	note("tokens: one")
	walkPages(t, "tokens of a collection", all.Cursor(10), func(args page.Args) pager { return tokensOf(t, snap, collection(0), nil, args) }, note)
	walkTraits(t, snap, note)
	_, _, err := snap.VersionsOf(t.Context(), all.Items, read.AllTexts, page.Args{})
	expect.NoError(t, err)
	note("tokens of a collection: versions")
	_, err = snap.Chain(t.Context())
	expect.NoError(t, err)
	note("chain")
	_, _, err = read.Transactions(t.Context(), snap.Snapshot, []read.Place{{Block: 4001, Index: 2}, {Block: 4002}})
	expect.NoError(t, err)
	note("details of transactions")
}

// walkPages reads the pages around a cursor, and whether others precede and follow them.
func walkPages(t *testing.T, what, cursor string, listed func(page.Args) pager, note func(string)) {
	t.Helper()
	for _, c := range []struct {
		name string
		args page.Args
	}{
		{"the last page", page.Args{Last: ptr(20)}},
		{"page after a cursor", page.Args{After: &cursor}},
		{"page before a cursor", page.Args{Before: &cursor}},
		{"the last page after a cursor", page.Args{Last: ptr(20), After: &cursor}},
		{"the first page before a cursor", page.Args{First: ptr(20), Before: &cursor}},
		{"no page after a cursor", page.Args{First: ptr(0), After: &cursor}},
		{"no page before a cursor", page.Args{First: ptr(0), Before: &cursor}},
	} {
		p := listed(c.args)
		note(what + ": " + c.name)
		_, err := p.HasNextPage(t.Context())
		expect.NoError(t, err)
		note(what + ": what follows " + c.name)
		_, err = p.HasPreviousPage(t.Context())
		expect.NoError(t, err)
		note(what + ": what precedes " + c.name)
	}
}

// The parts of statements that differ with the data, such as lists of pairs, of parts of a
// total, and of values.
var (
	spaces     = regexp.MustCompile(`\s+`)
	parameter  = regexp.MustCompile(`\$\d+`)
	pairList   = regexp.MustCompile(`(\(\?, \?\))(, \(\?, \?\))+`)
	valueList  = regexp.MustCompile(`IN \((\?)(, \?)*\)`)
	partList   = regexp.MustCompile(`( UNION ALL SELECT( CAST\(\? AS \w+\) AS \w+,?)+)+`)
	pageLimit  = regexp.MustCompile(`LIMIT \d+`)
	nextClause = regexp.MustCompile(` (FROM|LEFT JOIN|JOIN|WHERE|ORDER BY|LIMIT|UNION ALL) `)
)

// canonical returns the same text for statements that differ only in white space, in their
// limit and in the lengths of lists.
func canonical(text string) string {
	text = spaces.ReplaceAllString(text, " ")
	text = parameter.ReplaceAllString(text, "?")
	text = pairList.ReplaceAllString(text, "$1, …")
	text = valueList.ReplaceAllString(text, "IN ($1, …)")
	text = partList.ReplaceAllString(text, " UNION ALL …")
	return pageLimit.ReplaceAllString(text, "LIMIT n")
}

// layOut breaks a statement into lines where white space does not matter.
func layOut(text string) string {
	var b strings.Builder
	for line := range strings.Lines(nextClause.ReplaceAllString(text, "\n$1 ")) {
		for width := 110; len(line) > width; {
			at := strings.LastIndex(line[:width], ", ")
			if at < 0 {
				break
			}
			b.WriteString(line[:at+1] + "\n  ")
			line = line[at+2:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// golden has the headings of the file's statements by their digests; planned are those whose query
// plan a test has checked.
type golden struct {
	t       *testing.T
	list    map[string]string
	planned map[string]bool
}

// readGolden reads the file.
func readGolden(t *testing.T, postgres bool) *golden {
	t.Helper()
	file, err := os.ReadFile(goldenFile(postgres))
	expect.NoError(t, err)
	g := &golden{t: t, list: map[string]string{}, planned: map[string]bool{}}
	for line := range strings.Lines(string(file)) {
		key, heading, _ := strings.Cut(strings.TrimSpace(line), " ")
		g.list[key] = heading
	}
	return g
}

// has fails the test if the file lacks a statement that was sent, whose plan is then checked.
func (g *golden) has(st statement) {
	g.t.Helper()
	key := keyOf(st.query)
	if _, ok := g.list[key]; !ok {
		g.t.Fatalf("a statement that is not in the golden file:\n%s", st.query)
	}
	g.planned[key] = true
}

// unplanned returns the digests of the statements that were not planned, in the order of headings.
func (g *golden) unplanned() []string {
	left := maps.Clone(g.list)
	maps.DeleteFunc(left, func(key, _ string) bool { return g.planned[key] })
	return slices.SortedFunc(maps.Keys(left), func(a, b string) int { return cmp.Compare(left[a], left[b]) })
}

// wantAll fails the test unless every statement of the file was planned.
func (g *golden) wantAll() {
	g.t.Helper()
	for _, key := range g.unplanned() {
		g.t.Errorf("the plan of this statement was not checked: %s %s", key, g.list[key])
	}
}
