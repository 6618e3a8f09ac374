package store_test

import (
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestRefresh_EachEvent has ten fetched tokens, and one event after the other.
func TestRefresh_EachEvent(t *testing.T) {
	a, b := collection(1), collection(3)
	everything := with(drop(0, a, 0, 0), a, 0, 0).Refreshes[0]
	everything.Last = bigIDs()[7]
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, b, 1, 2), drop(101, a, 1, 5)})
		c.fetchAll(t, q, "x")
		number := uint64(101)
		empty := func() nft.Block { number++; return drop(number, a, 0, 0) }
		tests := []struct {
			name  string
			block nft.Block
			want  []uint64
		}{
			{"one token", with(empty(), a, 3, 3), []uint64{3}},
			{"a range", with(empty(), a, 4, 9), []uint64{5, 4}},
			{"one token twice, and within a range", with(with(with(empty(), a, 2, 2), a, 2, 2), a, 1, 2), []uint64{2, 1}},
			{"an unknown token", with(empty(), a, 6, 6), nil},
			{"another collection's token", with(empty(), b, 5, 5), nil},
			{"an unknown collection", with(empty(), collection(unknown), 1, 1), nil},
			{"all token ids", nft.Block{Header: empty().Header, Refreshes: []nft.Refresh{everything}}, []uint64{5, 4, 3, 2, 1}},
			{"a token that is minted in the same block", with(drop(number+1, a, 6, 1), a, 6, 6), []uint64{6}},
		}
		for _, test := range tests {
			number = test.block.Header.Number
			c.now++
			apply(t, s, []nft.Block{test.block})
			apply(t, s, []nft.Block{test.block})
			wantIDs(t, test.name, c.fetchAll(t, q, test.name), test.want...)
			for _, id := range test.want {
				if m := metadataOf(t, s, a, id); m.Raw != test.name || m.UpdatedAt != c.now {
					t.Errorf("%s: token %d has %q of %d", test.name, id, m.Raw, m.UpdatedAt)
				}
			}
		}
		// A token that waits for a retry is not fetched twice.
		apply(t, s, []nft.Block{with(empty(), a, 1, 2)})
		for _, task := range claimAll(t, q, 9) {
			finish(t, q, c.failed(task, "x", 50))
		}
		apply(t, s, []nft.Block{with(empty(), a, 1, 1)})
		wantIDs(t, "a token that failed", claimAll(t, q, 9), 1)
		c.now += 50
		wantIDs(t, "the other", claimAll(t, q, 9), 2)
	})
}

// TestRefresh_WhileAWorkerHasTheToken checks that an event is not lost, whether the worker
// succeeds, fails or never finishes.
func TestRefresh_WhileAWorkerHasTheToken(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 3)})
		tasks := claimAll(t, q, 9)
		wantIDs(t, "minted", tasks, 3, 2, 1)
		apply(t, s, []nft.Block{with(drop(101, a, 0, 0), a, 1, 3)})
		wantIDs(t, "while they are leased", claimAll(t, q, 9))
		finish(t, q, c.fetched(tasks[0], "x"), c.failed(tasks[1], "x", 1000))
		wantIDs(t, "two are finished", claimAll(t, q, 9), 3, 2)
		c.now += lease
		// No worker finishes, neither for the third token nor again for the others.
		wantIDs(t, "all are late", claimAll(t, q, 9), 3, 2, 1)
	})
}

// TestRefresh_OfManyTokens has an event for 12,000 known tokens, which continues after a
// restart.
func TestRefresh_OfManyTokens(t *testing.T) {
	skipShort(t)
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		blocks := []nft.Block{drop(100, a, 0, 6_000), drop(101, a, 6_000, 6_000), drop(102, collection(3), 0, 10)}
		apply(t, s, blocks)
		tasks := claimAll(t, c.queue(s), 20_000)
		var results []nft.Resolution
		for _, task := range tasks {
			results = append(results, c.failed(task, "x", 0))
		}
		finish(t, c.queue(s), results...)
		event := with(drop(103, a, 0, 0), a, 0, 0)
		event.Refreshes[0].Last = bigIDs()[7]
		apply(t, s, []nft.Block{event})
		db, seen := raw(t, dsn), map[nft.TokenKey]bool{}
		for step := 0; ; step++ {
			// With this limit, most of the marked tokens are left.
			tasks := claim(t, c.queue(open(t, dsn, write.Options{})), 3)
			var waiting int
			expect.NoError(t, db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM resolutions WHERE state = 'waiting'`).Scan(&waiting))
			if most := 5000 * (step + 1); waiting > most {
				t.Fatalf("step %d marked %d tokens: want at most %d", step, waiting, most)
			}
			for _, task := range tasks {
				seen[task.TokenKey] = true
			}
			if step == 3 {
				break
			}
		}
		for _, task := range claimAll(t, c.queue(s), 20_000) {
			if seen[task.TokenKey] || task.Contract != a {
				t.Fatalf("got %v again, or of another collection", task)
			}
			seen[task.TokenKey] = true
		}
		expect.Equal(t, "tokens", 12_000, len(seen))
	})
}

// TestRefresh_OldEventsAreNotFetched checks that events of blocks that were final before
// a fetch do not cause another one.
func TestRefresh_OldEventsAreNotFetched(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		final := func(number uint64) {
			expect.NoError(t, s.SetFinalized(t.Context(), drop(number, a, 0, 0).Header))
		}
		final(500)
		apply(t, s, []nft.Block{drop(100, a, 1, 2)})
		tasks := claimAll(t, q, 9)
		wantIDs(t, "minted", tasks, 2, 1)
		// The follower is still behind: one event arrives while a worker has the
		// token, the others after.
		apply(t, s, []nft.Block{with(drop(101, a, 0, 0), a, 1, 2)})
		wantIDs(t, "while they are leased", claimAll(t, q, 9))
		finish(t, q, c.fetched(tasks[0], "x"), c.fetched(tasks[1], "x"))
		for _, number := range []uint64{102, 103, 104, 105, 499, 500} {
			apply(t, s, []nft.Block{with(drop(number, a, 0, 0), a, 1, 2)})
			wantIDs(t, "an old event", claimAll(t, q, 9))
		}
		expect.Equal(t, "old refreshes", 0, countRows(t, dsn, "refreshes"))
		apply(t, s, []nft.Block{with(drop(501, a, 0, 0), a, 1, 1)})
		final(502)
		apply(t, s, []nft.Block{with(drop(502, a, 0, 0), a, 2, 2)})
		wantIDs(t, "new events, final when they came", c.fetchAll(t, q, "y"), 2, 1)
		apply(t, s, []nft.Block{with(drop(502+1, a, 0, 0), a, 2, 2)})
		wantIDs(t, "a new event", c.fetchAll(t, q, "z"), 2)
	})
}

// TestRefresh_BeforeTheTokens checks that an event of a final block is not stored while the
// queue has no token of its collection.
func TestRefresh_BeforeTheTokens(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		expect.NoError(t, s.SetFinalized(t.Context(), drop(500, a, 0, 0).Header))
		apply(t, s, []nft.Block{drop(100, a, 1, 2)})
		for i, number := range []uint64{499, 500, 501} {
			apply(t, s, []nft.Block{with(drop(number, a, 0, 0), a, 1, 2)})
			expect.Equal(t, "stored events", i/2, countRows(t, dsn, "refreshes"))
		}
	})
}

// TestRefresh_OfImportedDocuments checks that an imported document is fetched again only
// after events that are not older than it.
func TestRefresh_OfImportedDocuments(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		put := func(id, at uint64) {
			t.Helper()
			m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: a, TokenID: evm.NewUint256(id)}, Type: nft.ERC1155, FetchedAt: at, Raw: "imported"}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
		}
		at := drop(110, a, 0, 0).Header.Time
		apply(t, s, []nft.Block{drop(90, a, 50, 1)})
		claim(t, c.queue(s, collection(unknown)), 1)
		put(50, at)
		wantIDs(t, "imported while it waited", claimAll(t, q, 9))
		put(2, at)
		put(77, at)
		apply(t, s, []nft.Block{drop(100, a, 1, 4), with(drop(105, a, 0, 0), a, 0, 99)})
		put(1, at)
		put(3, at-20)
		wantIDs(t, "without a document, or with one from before the event", claimAll(t, q, 9), 4, 3)
		apply(t, s, []nft.Block{with(drop(110, a, 0, 0), a, 0, 99)})
		tasks := claimAll(t, q, 9)
		wantIDs(t, "an event at the time of the recording", tasks, 50, 2, 77, 1)
		tasks = tasks[1:]
		expect.Equal(t, "type of the collection's records", nft.ERC721, tasks[1].Type)
		finish(t, q, c.failed(tasks[0], "x", 0), c.failed(tasks[1], "x", 10), c.failed(tasks[2], "x", 10))
		// A document that is older than a failure does not clear it.
		put(2, c.now)
		put(77, c.now+1)
		c.now += 10
		wantIDs(t, "failed since", claimAll(t, q, 9), 1)
		if m := metadataOf(t, s, a, 77); m.State != nft.Resolved || m.Attempts != 0 || m.NextTry != 0 {
			t.Errorf("imported after it failed: got %+v", m)
		}
		expect.Equal(t, "imported before it failed", nft.Failed, metadataOf(t, s, a, 2).State)
	})
}
