package store_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// described returns the result of a collection's task: its name() and symbol(), and the name in
// its document, unless that is empty.
func (c *clock) described(task nft.Task, name, symbol, document string) nft.Resolution {
	r := nft.Resolution{Task: task, At: c.now, Collection: &nft.CollectionResult{Name: &name, Symbol: &symbol}}
	if document != "" {
		r.URI, r.Collection.Raw = "u", `{"name":"`+document+`"}`
		r.Collection.Document = &nft.CollectionMetadata{Name: &document}
	}
	return r
}

// claimCollections claims collections until nothing is due, and returns them.
func claimCollections(t testing.TB, q *write.Queue) (all []nft.Task) {
	t.Helper()
	for {
		tasks := claimAny(t, q, 7)
		if len(tasks) == 0 {
			return all
		}
		for _, task := range tasks {
			if task.OfCollection {
				all = append(all, task)
			}
		}
	}
}

// nobody are the collections of no task.
var nobody []evm.Address

// addressesOf returns the collections of tasks.
func addressesOf(tasks []nft.Task) (list []evm.Address) {
	for _, task := range tasks {
		list = append(list, task.Contract)
	}
	return list
}

// nameRow returns the stored name, symbol, uri and error of a collection, separated by |.
func nameRow(t testing.TB, dsn string, of evm.Address) (text string) {
	t.Helper()
	err := raw(t, dsn).QueryRowContext(t.Context(), `SELECT coalesce(name, '-') || '|' || coalesce(symbol, '-') || '|' || coalesce(uri, '-') || '|' || coalesce(error, '-')
		FROM contract_metadata JOIN contracts ON contracts.id = contract_id WHERE address = $1`, of[:]).Scan(&text)
	expect.NoError(t, err)
	return text
}

// uriUpdated adds an event to a block: the metadata of a collection may have changed.
func uriUpdated(b nft.Block, contract evm.Address) nft.Block {
	b.Refreshes = append(b.Refreshes, nft.Refresh{Contract: contract, First: evm.NewUint256(1), LogIndex: uint32(1000 + len(b.Refreshes))})
	return b
}

// TestNames_Queue hands out collections below tokens, the newest first, and stores the results.
func TestNames_Queue(t *testing.T) {
	a, b := collection(1), collection(3)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 2), drop(101, b, 1, 1)})
		for range 3 {
			if tasks := claimAny(t, q, 1); len(tasks) != 1 || tasks[0].OfCollection {
				t.Fatalf("got %v before all tokens are claimed", tasks)
			}
		}
		tasks := claimCollections(t, q)
		expect.Equal(t, "collections", []evm.Address{b, a}, addressesOf(tasks))
		finish(t, q, c.described(tasks[0], " bee\u202e ", "B", ""), c.described(tasks[1], "ay", "", "Document's"))
		expect.Equal(t, "b", "bee\uFFFD|B|-|-", nameRow(t, dsn, b))
		expect.Equal(t, "a", "Document's|-|u|-", nameRow(t, dsn, a))
		expect.Equal(t, "again", nobody, addressesOf(claimCollections(t, q)))
		wantClean(t, "named", s)

		// A failure keeps the document, and names the contract's new symbol.
		apply(t, s, []nft.Block{uriUpdated(drop(102, a, 0, 0), a)})
		tasks = claimCollections(t, q)
		expect.Equal(t, "after the event", []evm.Address{a}, addressesOf(tasks))
		failed := c.described(tasks[0], "changed", "NEW", "")
		failed.Problem, failed.NextAt = "answered 404", c.now+60
		finish(t, q, failed)
		expect.Equal(t, "failed", "Document's|NEW|u|answered 404", nameRow(t, dsn, a))
		retried, err := c.queue(s, b).RetryFailed(t.Context())
		expect.NoError(t, err)
		expect.Equal(t, "retried tokens", 0, retried)
		expect.Equal(t, "others", nobody, addressesOf(claimCollections(t, q)))
		_, err = q.RetryFailed(t.Context())
		expect.NoError(t, err)
		tasks = claimCollections(t, c.queue(s, b))
		expect.Equal(t, "of another collection", nobody, addressesOf(tasks))
		tasks = claimCollections(t, c.queue(s, a))
		expect.Equal(t, "attempts", 1, tasks[0].Attempts)
		// The contract's call fails, and its document names nothing.
		unknown := nft.Resolution{Task: tasks[0], At: c.now, Problem: "no answer", NextAt: c.now + 1, Collection: &nft.CollectionResult{}}
		finish(t, q, unknown)
		expect.Equal(t, "unknown", "Document's|NEW|u|no answer", nameRow(t, dsn, a))
		c.now++
		tasks = claimCollections(t, q)
		finish(t, q, c.described(tasks[0], "", "", ""))
		expect.Equal(t, "nothing left", "-|-|-|-", nameRow(t, dsn, a))
		wantClean(t, "the end", s)
	})
}

// TestNames_Events has an event while a worker has the collection, a late worker, and one that
// does not try.
func TestNames_Events(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 1)})
		c.fetchAll(t, q, "x")
		c.now += lease
		first := claimCollections(t, q)
		apply(t, s, []nft.Block{uriUpdated(drop(101, a, 0, 0), a)})
		expect.Equal(t, "while it is leased", nobody, addressesOf(claimCollections(t, q)))
		finish(t, q, c.described(first[0], "one", "", ""))
		second := claimCollections(t, q)
		expect.Equal(t, "after the fetch", []evm.Address{a}, addressesOf(second))
		c.now += lease
		third := claimCollections(t, q)
		finish(t, q, c.described(second[0], "late", "", ""))
		expect.Equal(t, "after a late worker", "one|-|-|-", nameRow(t, dsn, a))
		// It is not tried, and waits.
		finish(t, q, nft.Resolution{Task: third[0], At: c.now, NextAt: c.now + 5})
		expect.Equal(t, "not tried yet", nobody, addressesOf(claimCollections(t, q)))
		c.now += 5
		third = claimCollections(t, q)
		finish(t, q, c.described(third[0], "two", "", ""))
		expect.Equal(t, "the second", "two|-|-|-", nameRow(t, dsn, a))
		// The events of tokens do not concern it.
		apply(t, s, []nft.Block{with(drop(102, a, 0, 0), a, 0, 9)})
		c.fetchAll(t, q, "y")
		expect.Equal(t, "an event of tokens", nobody, addressesOf(claimCollections(t, q)))
	})
}

// TestNames_Reorg orphans the first block of a collection, and an event.
func TestNames_Reorg(t *testing.T) {
	a, b := collection(1), collection(3)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 1), drop(101, b, 1, 1)})
		c.fetchAll(t, q, "x")
		c.now += lease
		for _, task := range claimCollections(t, q) {
			finish(t, q, c.described(task, "orphaned", "O", "x"))
		}
		apply(t, s, []nft.Block{uriUpdated(drop(102, a, 0, 0), a)})
		for _, task := range claimCollections(t, q) {
			finish(t, q, c.described(task, "changed", "", ""))
		}
		expect.Equal(t, "a", "changed|-|-|-", nameRow(t, dsn, a))
		expect.NoError(t, s.ReplaceAbove(t.Context(), 100, nil, false))
		expect.Equal(t, "b", "-|-|-|-", nameRow(t, dsn, b))
		wantClean(t, "the reorg", s)
		tasks := claimCollections(t, q)
		expect.Equal(t, "after the reorg", []evm.Address{b, a}, addressesOf(tasks))
	})
}

// TestWords finds a collection by words of its name and by its symbol, in the order of a search.
func TestWords(t *testing.T) {
	texts := func(name, symbol string) (list []string) {
		for _, row := range tables.Words(1, evm.Address{7}, &name, &symbol) {
			text, address, found := strings.Cut(string(row.ID), "\x00")
			if !found || address != "\a"+strings.Repeat("\x00", 19) {
				t.Errorf("got the key %x", row.ID)
			}
			list = append(list, fmt.Sprint(text, " ", row.Shared))
		}
		return list
	}
	for _, c := range []struct {
		name, symbol string
		want         []string
	}{
		{"Straße 9", "ST", []string{"9 0", "st 0", "strasse 9 2"}},
		{"The Cats' Cat-club", "cat", []string{"cat 0", "cat-club 3", "cats' cat-club 3", "club 1", "the cats' cat-club 0"}},
		{"¡Olé! it’s l'été", "x", []string{"it’s l'été 0", "l'été 0", "olé! it’s l'été 0", "x 0", "¡olé! it’s l'été 0"}},
		{"1 2 3 4 5 6 7 8 9", "1 2", []string{"1 2 0", "1 2 3 4 5 6 7 8 9 3", "2 3 4 5 6 7 8 9 0", "3 4 5 6 7 8 9 0", "4 5 6 7 8 9 0", "5 6 7 8 9 0", "6 7 8 9 0", "7 8 9 0", "8 9 0"}},
		{strings.Repeat("é", 40), "\uFFFD", []string{strings.Repeat("é", 32) + " 0", "\uFFFD 0"}},
		{"日本", "a", []string{"a 0", "日本 0"}},
		{"Cat", "CAT", []string{"cat 0"}},
	} {
		expect.Equal(t, c.name, c.want, texts(c.name, c.symbol))
	}
	if !strings.HasPrefix(texts("ΣΊΣΥΦΟΣ", "x")[1], tables.FoldName("σίσυφος")) {
		t.Error("the final sigma is another letter")
	}
	if list := tables.Words(1, evm.Address{}, nil, nil); len(list) > 0 {
		t.Errorf("got %v without a name", list)
	}
}

// TestMigrate_ContractMetadata checks that a database of version 13 asks for all its collections once,
// below its tokens, while a server reads it.
func TestMigrate_ContractMetadata(t *testing.T) {
	a, b := collection(1), collection(3)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 2), drop(101, b, 1, 1)})
		wantIDs(t, "tokens", claim(t, q, 2), 1, 2)
		want := contentOf(t, dsn)
		revert(t, dsn, 15)
		read := func() (n int) {
			each(t, s, func(snap *store.Snapshot) { n = pageOf(t, snap, store.Filter{Kind: nft.Mint}, page.Args{}).Len() })
			return n
		}
		before := read()
		// The index of a later migration waits for the end of snapshots.
		migrated := open(t, dsn, write.Options{})
		expect.Equal(t, "mints that a server reads", before, read())
		for table, rows := range contentOf(t, dsn) {
			expect.Equal(t, table, want[table], rows)
		}
		wantClean(t, "the migration", migrated)
		q = c.queue(migrated)
		wantIDs(t, "the last token", claimAny(t, q, 5), 1)
		expect.Equal(t, "collections", []evm.Address{b, a}, addressesOf(claimCollections(t, q)))
	})
}

// TestNames_Answers reads names and metadata, and texts that do not fit.
func TestNames_Answers(t *testing.T) {
	a, b := collection(1), collection(3)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 1), drop(101, b, 1, 1)})
		claimAll(t, q, 9)
		c.now += lease
		answers := func(texts read.Texts, hold func(int64) (int64, error)) (names []store.Names, metadata []*store.CollectionMetadata, err error) {
			each(t, s, func(snap *store.Snapshot) {
				snap.Hold = hold
				list, failed := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{a, b})
				expect.NoError(t, failed)
				names, failed = snap.Subjects().NamesOf(t.Context(), list)
				expect.NoError(t, failed)
				metadata, err = snap.Subjects().CollectionMetadataOf(t.Context(), list, texts)
			})
			return names, metadata, err
		}
		tasks := claimCollections(t, q)
		names, metadata, err := answers(0, nil)
		if err != nil || names[0].Name != nil || metadata[0] != nil {
			t.Errorf("got %v, %v and error %v before the fetch", names, metadata, err)
		}
		large := c.described(tasks[1], "bee", "B", "<b>")
		large.Collection.Raw = strings.Repeat("x", 1<<20)
		unanswered := c.failed(tasks[0], "no answer", 5)
		unanswered.Collection = &nft.CollectionResult{}
		finish(t, q, large, unanswered)
		_, metadata, err = answers(read.AllTexts, nil)
		expect.NoError(t, err)
		failed := &store.CollectionMetadata{URI: new("u"), State: nft.Failed, Error: new("no answer"), FetchedAt: evm.Long(c.now)}
		failed.Collaborators = []evm.Address{}
		if diff := gocmp.Diff(failed, metadata[0]); diff != "" {
			t.Errorf("a (-want +got):\n%s", diff)
		}
		_, metadata, err = answers(0, nil)
		if err != nil || *metadata[1].Name != "<b>" || metadata[1].Raw != nil || metadata[1].State != nft.Resolved {
			t.Errorf("got %+v and error %v", metadata[1], err)
		}
		_, _, err = answers(read.TextRaw, func(n int64) (int64, error) { return max(0, n-1000), nil })
		wantCode(t, "a large document", err, apierror.QueryTooCostly)
		_, _, err = answers(0, func(n int64) (int64, error) { return max(0, n-1000), nil })
		expect.NoError(t, err)
	})
}

// TestNames_Search compares searches with a scan, also of names that differ in case only, by each
// page size and in both directions.
func TestNames_Search(t *testing.T) {
	names := []string{"Straße", "STRASSE", "strasse 2", "Stra", "the straw", "Ärger", "ärger", "", "a", "A\uFFFD", "日本", "st", "a street a stable"}
	block, _ := manyCollections(2 * len(names))
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		// An import knows a collection that has no record.
		named := nft.TokenKey{Contract: collection(unknown)}
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: named, FetchedAt: 1, Raw: "{}"}}))
		apply(t, s, []nft.Block{block})
		claimAll(t, q, 1000)
		c.now += lease
		stored, symbols := map[evm.Address][]string{}, []string{"", "STR", "x"}
		for i, task := range claimCollections(t, q) {
			name := names[i%len(names)]
			if task.Contract == named.Contract {
				name = "Straw, without a record"
			} else {
				words := strings.SplitAfter(name, " ")
				for at := range words {
					stored[task.Contract] = append(stored[task.Contract], strings.Join(words[at:], ""))
				}
				if symbols[i%3] != "" {
					stored[task.Contract] = append(stored[task.Contract], symbols[i%3])
				}
				stored[task.Contract] = slices.DeleteFunc(stored[task.Contract], func(text string) bool { return text == "" })
			}
			finish(t, q, c.described(task, name, symbols[i%3], ""))
		}
		for _, search := range []string{"s", "STRASS", " straß\t", "stra", "ä", "Ä", "a", "日", "x", "ä", "2", strings.Repeat("x", 64)} {
			first := map[evm.Address]string{}
			for address, texts := range stored {
				for _, text := range texts {
					text = tables.FoldName(text)
					if known, found := first[address]; strings.HasPrefix(text, tables.FoldName(strings.TrimSpace(search))) && (!found || text < known) {
						first[address] = text
					}
				}
			}
			want := slices.SortedFunc(maps.Keys(first), func(a, b evm.Address) int {
				return cmp.Or(strings.Compare(first[a], first[b]), bytes.Compare(a[:], b[:]))
			})
			each(t, s, func(snap *store.Snapshot) {
				checkBook(collectionsBook(t, snap, store.CollectionFilter{Search: search, Partial: true}, want))
			})
		}
		each(t, s, func(snap *store.Snapshot) {
			all, err := snap.Collections(store.CollectionFilter{Search: " ", Order: store.Desc}, page.Args{})
			expect.NoError(t, err)
			expect.NoError(t, all.Read(t.Context(), nil))
			n, err := all.Total(t.Context())
			expect.NoError(t, err)
			expect.Equal(t, "all collections", int64(len(stored)), n)
			for name, f := range map[string]store.CollectionFilter{
				"65 characters": {Search: strings.Repeat("ß", 65)}, "addresses": {Search: "s", Addresses: []evm.Address{}}, "an order": {Search: "s", Ordered: true},
			} {
				_, err := snap.Collections(f, page.Args{})
				wantCode(t, name, err, apierror.BadUserInput)
			}
			_, err = snap.Collections(store.CollectionFilter{Search: "s"}, page.Args{After: new(all.Cursor(0))})
			wantCode(t, "a cursor of another list", err, apierror.InvalidCursor)
		})
		// A collection between two pages gets another name.
		after := func() (string, evm.Address) {
			snap := snapshot(t, s)
			p, err := snap.Collections(store.CollectionFilter{Search: "st"}, page.Args{First: ptr(1)})
			expect.NoError(t, err)
			expect.NoError(t, p.Read(t.Context(), nil))
			return p.Cursor(0), p.Items[0].Address
		}
		cursor, address := after()
		apply(t, s, []nft.Block{uriUpdated(drop(block.Header.Number+1, address, 0, 0), address)})
		finish(t, q, c.described(claimCollections(t, q)[0], "other", "", ""))
		p, err := snapshot(t, s).Collections(store.CollectionFilter{Search: "ST"}, page.Args{After: &cursor})
		expect.NoError(t, err)
		wantCode(t, "a cursor of another name", p.Read(t.Context(), nil), apierror.InvalidCursor)
	})
}

// TestNames_Imported imports the document of a collection. Only an event after the time of its fetch makes
// the collection due, also if it was fetched from a node before. After the upgrade from a version that
// ignored these events, each such collection is due once.
func TestNames_Imported(t *testing.T) {
	a, fetched := collection(1), collection(2)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		blocks := []nft.Block{drop(100, a, 1, 1), drop(101, fetched, 1, 1)}
		apply(t, s, blocks)
		c.fetchAll(t, q, "x")
		c.now += lease
		tasks := claimCollections(t, q)
		at := blocks[1].Header.Time + 500
		imported := func(contract evm.Address) {
			t.Helper()
			r := c.described(nft.Task{TokenKey: nft.TokenKey{Contract: contract}, OfCollection: true}, "old", "", "")
			r.At = at
			n, err := write.PutCollections(t.Context(), s, []nft.Resolution{r})
			expect.NoError(t, err)
			expect.Equal(t, "imported", 1, n)
		}
		finish(t, q, c.described(tasks[0], "one", "", ""), c.described(tasks[1], "two", "", ""))
		execute(t, dsn, "UPDATE contract_metadata SET fetched_at = 1, attempted_at = 1")
		imported(a)
		expect.Equal(t, "after the import", nobody, addressesOf(claimCollections(t, q)))
		event := func(number uint64, time uint64, contract evm.Address) {
			b := uriUpdated(drop(number, contract, 0, 0), contract)
			b.Header.Time = time
			apply(t, s, []nft.Block{b})
		}
		event(102, at-1, a)
		expect.Equal(t, "after an event before the fetch", nobody, addressesOf(claimCollections(t, q)))
		event(103, at, a)
		tasks = claimCollections(t, q)
		expect.Equal(t, "after an event at the fetch", []evm.Address{a}, addressesOf(tasks))
		finish(t, q, c.described(tasks[0], "new", "", ""))

		at += 1000
		c.now = at
		execute(t, dsn, "UPDATE contract_metadata SET fetched_at = 1, attempted_at = 1")
		imported(a)
		expect.NoError(t, s.Close())
		revert(t, dsn, 20)
		s = open(t, dsn, write.Options{})
		q = c.queue(s)
		tasks = claimCollections(t, q)
		expect.Equal(t, "after the upgrade", []evm.Address{a}, addressesOf(tasks))
		finish(t, q, c.described(tasks[0], "newer", "", ""))
		expect.Equal(t, "once", nobody, addressesOf(claimCollections(t, q)))
		wantClean(t, "the end", s)
	})
}
