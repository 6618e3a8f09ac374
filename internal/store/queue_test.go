package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// newest returns the minted tokens of blocks, each with the last block that minted it.
func newest(blocks []nft.Block) map[nft.TokenKey]uint64 {
	tokens := map[nft.TokenKey]uint64{}
	for _, b := range blocks {
		for _, r := range b.Mints {
			key := nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}
			tokens[key] = max(tokens[key], b.Header.Number)
		}
	}
	return tokens
}

// wantOnce checks that tasks contain each token once, the newest first.
func wantOnce(t *testing.T, tasks []nft.Task, tokens map[nft.TokenKey]uint64) {
	t.Helper()
	seen, last := map[nft.TokenKey]bool{}, ^uint64(0)
	for _, task := range tasks {
		block, known := tokens[task.TokenKey]
		switch {
		case !known || seen[task.TokenKey]:
			t.Fatalf("%v: known is %v, claimed before is %v", task, known, seen[task.TokenKey])
		case block > last:
			t.Fatalf("%v of block %d comes after one of block %d", task, block, last)
		}
		seen[task.TokenKey], last = true, block
	}
	expect.Equal(t, "tokens", len(tokens), len(seen))
}

func TestClaim_EachTokenOnceNewestFirst(t *testing.T) {
	blocks := branch(1, 1, 100, blockHash(1, 99), 120, between(8, 300))
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		wantIDs(t, "an empty database", claim(t, c.queue(s), 10))
		// Two ranges with a hole, which is filled later.
		apply(t, s, slices.Concat(blocks[:40], blocks[60:100]))
		tasks := claimAll(t, c.queue(s), 7)
		wantOnce(t, tasks, newest(slices.Concat(blocks[:40], blocks[60:100])))
		for _, task := range tasks {
			if want := map[evm.Address]nft.ContractType{collection(1): nft.ERC721, collection(2): nft.ERC1155}[task.Contract]; want != "" && task.Type != want {
				t.Errorf("%v: want the type %s", task, want)
			}
		}
		later := newest(slices.Concat(blocks[40:60], blocks[100:]))
		for key := range newest(slices.Concat(blocks[:40], blocks[60:100])) {
			delete(later, key)
		}
		apply(t, s, blocks)
		apply(t, s, blocks)
		wantOnce(t, claimAll(t, c.queue(s), 11), later)
	})
}

// TestClaim_NewMintsFirst has waiting tokens, then an event, then a mint.
func TestClaim_NewMintsFirst(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 1), drop(101, a, 2, 3)})
		wantIDs(t, "first", claim(t, q, 2), 4, 3)
		tasks := claim(t, q, 1)
		wantIDs(t, "then", tasks, 2)
		finish(t, q, c.fetched(tasks[0], "x"))
		apply(t, s, []nft.Block{with(drop(102, a, 5, 1), a, 2, 2)})
		wantIDs(t, "last", claimAll(t, q, 1), 5, 1, 2)
	})
}

// TestClaim_LargeBlock has a block with more mints than are entered at once, between
// smaller ones.
func TestClaim_LargeBlock(t *testing.T) {
	blocks := []nft.Block{drop(100, collection(1), 0, 3), drop(101, collection(1), 10, 12_000), drop(102, collection(2), 0, 4_999), drop(103, collection(2), 0, 3)}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, blocks)
		wantOnce(t, claimAll(t, newClock().queue(s), 3000), newest(blocks))
	})
}

// TestClaim_EntersALittleAtATime has blocks, two of which have more mints than are entered
// at once.
func TestClaim_EntersALittleAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		for i := range uint64(3) {
			apply(t, s, []nft.Block{drop(100+i, collection(1), 3000*i, 3000)})
		}
		claim(t, c.queue(s), 1)
		expect.Equal(t, "tokens that were entered: those of the last block", 3000, countRows(t, dsn, "resolutions"))
	})
}

func TestClaim_OnlySomeCollections(t *testing.T) {
	blocks := branch(1, 1, 100, blockHash(1, 99), 120, between(8, 300))
	some := []evm.Address{collection(3), collection(unknown), collection(4)}
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		apply(t, s, blocks)
		tokens, others := newest(blocks), newest(blocks)
		for key := range tokens {
			if slices.Contains(some, key.Contract) {
				delete(others, key)
			} else {
				delete(tokens, key)
			}
		}
		wantOnce(t, claimAll(t, c.queue(s, some...), 7), tokens)
		wantOnce(t, claimAll(t, c.queue(s), 7), others)
		wantIDs(t, "a collection without records", claimAll(t, c.queue(s, collection(unknown)), 7))
	})
}

// TestClaim_WorkersNeverShareAToken runs eight workers on two stores.
func TestClaim_WorkersNeverShareAToken(t *testing.T) {
	blocks := branch(1, 1, 100, blockHash(1, 99), 200, between(8, 300))
	onBoth(t, func(t *testing.T, dsn string) {
		stores := []*write.DB{open(t, dsn, write.Options{}), open(t, dsn, write.Options{})}
		c := newClock()
		var group sync.WaitGroup
		// Also if storing fails, whose error a worker would hide that fails after the test.
		defer group.Wait()
		given := make([][]nft.Task, 8)
		for i := range given {
			group.Go(func() {
				q := c.queue(stores[i%2])
				for {
					tasks, err := q.Claim(t.Context(), 5+i)
					if err != nil {
						t.Error(err)
					}
					if err != nil || len(tasks) == 0 && i > 0 {
						return
					}
					if len(tasks) == 0 {
						break
					}
					given[i] = append(given[i], tasks...)
					result := c.fetched(tasks[0], "x")
					if result.OfCollection {
						result = c.described(tasks[0], "x", "", "")
					}
					if err := q.Finish(t.Context(), []nft.Resolution{result}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		// The follower continues meanwhile.
		for batch := range slices.Chunk(blocks, 9) {
			apply(t, stores[0], batch)
		}
		group.Wait()
		for tasks := claimAny(t, c.queue(stores[1]), 50); len(tasks) > 0; tasks = claimAny(t, c.queue(stores[1]), 50) {
			given = append(given, tasks)
		}
		seen, collections := [2]map[nft.TokenKey]int{{}, {}}, map[evm.Address]bool{}
		for i, tasks := range given {
			for _, task := range tasks {
				of := seen[0]
				if task.OfCollection {
					of = seen[1]
				}
				if before, again := of[task.TokenKey]; again {
					t.Fatalf("worker %d and worker %d have %v", before, i, task)
				}
				of[task.TokenKey] = i
				collections[task.Contract] = true
			}
		}
		expect.Equal(t, "tokens", len(newest(blocks)), len(seen[0]))
		expect.Equal(t, "collections", len(collections), len(seen[1]))
	})
}

// TestClaim_TokensOfACrashedWorker checks that a crashed worker's tokens are claimed again
// when its leases end, and that a result after that changes only the document.
func TestClaim_TokensOfACrashedWorker(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		apply(t, s, []nft.Block{drop(100, a, 1, 3)})
		first := claim(t, q, 2)
		wantIDs(t, "claimed", first, 3, 2)
		slow := c.fetched(first[0], "slow")
		c.now += lease - 1
		wantIDs(t, "before the end", claimAll(t, q, 9), 1)
		c.now++
		// As after a restart.
		q = c.queue(open(t, dsn, write.Options{}))
		second := claimAll(t, q, 9)
		wantIDs(t, "at the end", second, 3, 2)
		finish(t, q, slow, c.failed(first[1], "too late", 5))
		if m := metadataOf(t, s, a, 3); m == nil || m.Raw != "slow" || m.State != nft.Pending {
			t.Errorf("the late document: got %+v, want it, pending", m)
		}
		expect.Equal(t, "the late failure", (*nft.TokenMetadata)(nil), metadataOf(t, s, a, 2))
		finish(t, q, c.fetched(second[0], "second"), c.fetched(second[1], "second"), slow)
		if m := metadataOf(t, s, a, 3); m == nil || m.Raw != "second" || m.State != nft.Resolved {
			t.Errorf("got %+v, want the second document", m)
		}
		c.now += lease
		wantIDs(t, "after all", claimAll(t, q, 9), 1)
	})
}

func TestClaim_RefusesAnInvalidLimit(t *testing.T) {
	s := open(t, storetest.SQLite(t), write.Options{})
	for _, limit := range []int{0, -1, 1 << 20} {
		if _, err := newClock().queue(s).Claim(t.Context(), limit); err == nil {
			t.Errorf("%d: got no error", limit)
		}
	}
}

func TestFinish_RetriesAtNextAt(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 3)})
		for i, wait := range []uint64{10, 20, 40} {
			tasks := claimAll(t, q, 9)
			if i > 0 {
				wantIDs(t, "due", tasks, 3)
			}
			expect.Equal(t, "attempts", i, tasks[0].Attempts)
			finish(t, q, c.failed(tasks[0], fmt.Sprint("try ", i), wait))
			for _, task := range tasks[1:] {
				finish(t, q, c.failed(task, "gone", 0))
			}
			c.now += wait - 1
			wantIDs(t, "too early", claimAll(t, q, 9))
			c.now++
		}
		tasks := claimAll(t, q, 9)
		r := c.fetched(tasks[0], "x")
		r.NextAt = c.now + 7
		finish(t, q, r)
		c.now += 7
		tasks = claimAll(t, q, 9)
		wantIDs(t, "checked again", tasks, 3)
		expect.Equal(t, "attempts after one that did not fail", 0, tasks[0].Attempts)
	})
}

func TestFinish_RefusesInvalidResults(t *testing.T) {
	s, c := open(t, storetest.SQLite(t), write.Options{}), newClock()
	q := c.queue(s)
	apply(t, s, []nft.Block{drop(100, collection(1), 1, 1)})
	task := claim(t, q, 1)[0]
	both := c.fetched(task, "x")
	both.Problem = "y"
	late := c.failed(task, "x", 0)
	late.NextAt = 1 << 60
	for _, r := range []nft.Resolution{{Task: task, At: c.now}, both, late} {
		if err := q.Finish(t.Context(), []nft.Resolution{r}); err == nil {
			t.Errorf("%+v: got no error", r)
		}
	}
}

func TestRetryFailed_WhateverTheirDueTime(t *testing.T) {
	a, b := collection(1), collection(3)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 4), drop(101, b, 11, 2)})
		tasks := claim(t, q, 5)
		wantIDs(t, "claimed", tasks, 12, 11, 4, 3, 2)
		finish(t, q, c.failed(tasks[0], "x", 0), c.fetched(tasks[1], "x"), c.failed(tasks[2], "x", 0), c.failed(tasks[3], "x", 1000), c.fetched(tasks[4], "x"))
		for _, test := range []struct {
			queue *write.Queue
			want  int
		}{{c.queue(s, a, collection(unknown)), 2}, {q, 1}, {q, 0}, {c.queue(s, collection(unknown)), 0}} {
			if n, err := test.queue.RetryFailed(t.Context()); err != nil || n != test.want {
				t.Errorf("got %d and error %v, want %d", n, err, test.want)
			}
		}
		wantIDs(t, "claimed", claimAll(t, q, 9), 1, 12, 4, 3)
	})
}

// TestRecheck makes documents due again that were fetched without a time for the next fetch.
func TestRecheck(t *testing.T) {
	a, b := collection(1), collection(3)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 3), drop(101, b, 11, 1)})
		tasks := claim(t, q, 4)
		wantIDs(t, "claimed", tasks, 11, 3, 2, 1)
		later := c.fetched(tasks[2], "x")
		later.NextAt = c.now + 1000
		finish(t, q, c.fetched(tasks[0], "x"), c.failed(tasks[1], "x", 0), later)
		collections := claimCollections(t, q)
		finish(t, q, c.described(collections[0], "b", "", ""), c.described(collections[1], "a", "", ""))
		c.now += 60
		finish(t, q, c.fetched(tasks[3], "x"))
		recheck := func(q *write.Queue, age time.Duration, want int) {
			t.Helper()
			n, err := q.Recheck(t.Context(), age)
			expect.NoError(t, err)
			expect.Equal(t, "due tokens", want, n)
		}
		recheck(q, 61*time.Second, 0)
		recheck(q, 1<<62, 0)
		wantIDs(t, "none is that old", claimAll(t, q, 9))
		recheck(c.queue(s, b), time.Minute, 1)
		wantIDs(t, "of one collection", claim(t, q, 1), 11)
		recheck(q, time.Minute, 1)
		wantIDs(t, "the rest", claim(t, q, 1), 2)
		expect.Equal(t, "collections", []evm.Address{a, b}, addressesOf(claimCollections(t, q)))
	})
}

// TestClaim_LaterMints adds mints in blocks within a range whose other mints were already
// claimed.
func TestClaim_LaterMints(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, _, q := openQueue(t, dsn)
		expect.NoError(t, s.Extend(t.Context(), []nft.Block{drop(100, a, 1, 1), drop(120, a, 2, 1)}, evm.Range{From: 90, To: 120}, false))
		wantIDs(t, "at first", claimAll(t, q, 9), 2, 1)
		apply(t, s, []nft.Block{drop(110, a, 3, 1), drop(111, a, 0, 0), drop(121, a, 4, 1)})
		wantIDs(t, "of a block that was omitted", claimAll(t, q, 9), 4, 3)
		expect.NoError(t, proof.Of(s).Repair(t.Context(), []nft.Block{drop(100, a, 5, 2)}))
		wantIDs(t, "of a block that was repaired", claimAll(t, q, 9), 6, 5)
		rollback(t, s, 90, []nft.Block{drop(91, a, 7, 1)})
		var top int
		if err := raw(t, dsn).QueryRowContext(t.Context(), `SELECT COALESCE(MAX(to_block), 0) FROM coverage WHERE kind = 'queued'`).Scan(&top); err != nil || top > 90 {
			t.Errorf("queued up to block %d, error %v: want at most 90", top, err)
		}
		wantIDs(t, "of another branch", claimAll(t, q, 9), 7)
	})
}

// TestFinish_ClockSetBack checks that the worker which holds a token replaces a document of
// a clock that was ahead, and that a worker whose lease has ended does not.
func TestFinish_ClockSetBack(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 1)})
		c.now += 1_000_000
		late := c.fetchAll(t, q, "ahead")
		c.now -= 1_000_000
		apply(t, s, []nft.Block{with(drop(101, a, 0, 0), a, 1, 1)})
		wantIDs(t, "refreshed", c.fetchAll(t, q, "right"), 1)
		if m := metadataOf(t, s, a, 1); m.Raw != "right" || m.State != nft.Resolved || m.UpdatedAt != c.now || m.FetchedAt != c.now {
			t.Errorf("got %+v, want the document of the event", m)
		}
		c.now--
		finish(t, q, c.fetched(late[0], "too late"))
		expect.Equal(t, "the document", "right", metadataOf(t, s, a, 1).Raw)
	})
}
