package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// clock is a time that only tests advance. It is far after the time of any block.
type clock struct{ now uint64 }

func newClock() *clock { return &clock{now: 2_000_000_000} }

func (c *clock) Now() time.Time { return time.Unix(int64(c.now), 0) }

// lease is the lease time of the queues in tests, in seconds.
const lease = 100

func (c *clock) queue(s *write.DB, contracts ...evm.Address) *write.Queue {
	return write.NewQueue(s, write.QueueOptions{Now: c.Now, Lease: lease * time.Second, Contracts: contracts})
}

// onQueues runs a test on both databases, each with a queue.
func onQueues(t *testing.T, test func(t *testing.T, s *write.DB, c *clock, q *write.Queue)) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		test(t, s, c, q)
	})
}

// openQueue opens a database, and returns a queue with a clock.
func openQueue(t testing.TB, dsn string) (s *write.DB, c *clock, q *write.Queue) {
	s, c = open(t, dsn, write.Options{}), newClock()
	return s, c, c.queue(s)
}

// claim claims tokens. Collections stay leased.
func claim(t testing.TB, q *write.Queue, limit int) []nft.Task {
	t.Helper()
	return slices.DeleteFunc(claimAny(t, q, limit), func(task nft.Task) bool { return task.OfCollection })
}

// claimAny claims tokens or collections.
func claimAny(t testing.TB, q *write.Queue, limit int) []nft.Task {
	t.Helper()
	tasks, err := q.Claim(t.Context(), limit)
	expect.NoError(t, err)
	return tasks
}

// claimAll claims until nothing is due.
func claimAll(t testing.TB, q *write.Queue, limit int) (all []nft.Task) {
	t.Helper()
	for {
		tasks := claim(t, q, limit)
		if len(tasks) == 0 {
			return all
		}
		all = append(all, tasks...)
	}
}

func finish(t testing.TB, q *write.Queue, results ...nft.Resolution) {
	t.Helper()
	expect.NoError(t, q.Finish(t.Context(), results))
}

// fetched returns the result of a task whose document has the given text.
func (c *clock) fetched(task nft.Task, raw string) nft.Resolution {
	return nft.Resolution{Task: task, At: c.now, URI: "u", Document: &nft.TokenMetadata{
		Raw:      raw,
		Metadata: nft.Metadata{Name: &raw, Attributes: []nft.Attribute{{TraitType: "raw", Value: raw, Order: 1}}},
	}}
}

// failed returns a failed result of a task that is due again after a wait, or never if
// wait is 0.
func (c *clock) failed(task nft.Task, problem string, wait uint64) nft.Resolution {
	r := nft.Resolution{Task: task, At: c.now, URI: "u", Problem: problem}
	if wait > 0 {
		r.NextAt = c.now + wait
	}
	return r
}

// fetchAll claims and fetches all due tokens, with the same text for each.
func (c *clock) fetchAll(t testing.TB, q *write.Queue, raw string) (tasks []nft.Task) {
	t.Helper()
	tasks = claimAll(t, q, 1000)
	var results []nft.Resolution
	for _, task := range tasks {
		results = append(results, c.fetched(task, raw))
	}
	finish(t, q, results...)
	return tasks
}

// drop returns a block with n mints of one collection, whose token ids begin at first.
func drop(number uint64, contract evm.Address, first uint64, n int) nft.Block {
	b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: number, Hash: blockHash(1, number)}, ParentHash: blockHash(1, number-1), Time: 1_600_000_000 + number}}
	for i := range uint64(n) {
		b.Mints = append(b.Mints, nft.Record{
			Contract: contract, Type: nft.ERC721, TokenID: evm.NewUint256(first + i), Amount: evm.NewUint256(1), To: account(0), LogIndex: uint32(i),
		})
	}
	return b
}

// with adds an event to a block: the tokens from first to last may have changed.
func with(b nft.Block, contract evm.Address, first, last uint64) nft.Block {
	b.Refreshes = append(b.Refreshes, nft.Refresh{
		Contract: contract, First: evm.NewUint256(first), Last: evm.NewUint256(last), LogIndex: uint32(1000 + len(b.Refreshes)),
	})
	return b
}

// idsOf returns the token ids of tasks in order.
func idsOf(tasks []nft.Task) (ids []string) {
	for _, task := range tasks {
		ids = append(ids, task.TokenID.String())
	}
	return ids
}

// wantIDs checks the token ids of tasks and their order.
func wantIDs(t testing.TB, what string, tasks []nft.Task, want ...uint64) {
	t.Helper()
	var ids []string
	for _, id := range want {
		ids = append(ids, fmt.Sprint(id))
	}
	expect.Equal(t, what, ids, idsOf(tasks))
}

// Of returns the metadata of a token, nil if there is none.
func metadataOf(t testing.TB, s *write.DB, contract evm.Address, id uint64) (m *nft.TokenMetadata) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		key := nft.TokenKey{Contract: contract, TokenID: evm.NewUint256(id)}
		found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{key}, read.AllTexts)
		expect.NoError(t, err)
		m = plain(t, found[key])
	})
	return m
}
