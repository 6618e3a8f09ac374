package metadata_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// queue is a queue in memory. Each task is due once, and again after it was not tried.
type queue struct {
	mu       sync.Mutex
	due      []nft.Task
	untried  []nft.Resolution
	finished map[nft.TokenKey]nft.Resolution
	// groups holds the sizes of the finished groups.
	groups []int
	// claimed and finishing, if not nil, are called first and may fail.
	claimed   func() error
	finishing func(group []nft.Resolution) error
}

// Claim implements [metadata.Queue].
func (q *queue) Claim(ctx context.Context, limit int) ([]nft.Task, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.claimed != nil {
		if err := q.claimed(); err != nil {
			return nil, err
		}
	}
	q.untried = slices.DeleteFunc(q.untried, func(r nft.Resolution) bool {
		isDue := r.NextAt <= uint64(time.Now().Unix())
		if isDue {
			r.Task.Due = int64(r.NextAt)
			q.due = append(q.due, r.Task)
		}
		return isDue
	})
	n := min(limit, len(q.due))
	tasks := q.due[:n:n]
	q.due = q.due[n:]
	return tasks, ctx.Err()
}

// Finish implements [metadata.Queue].
func (q *queue) Finish(ctx context.Context, group []nft.Resolution) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.finishing != nil {
		if err := q.finishing(group); err != nil {
			return err
		}
	}
	if q.finished == nil {
		q.finished = map[nft.TokenKey]nft.Resolution{}
	}
	for _, resolution := range group {
		if resolution.Document == nil && resolution.Collection == nil && resolution.Problem == "" {
			q.untried = append(q.untried, resolution)
			continue
		}
		q.finished[resolution.TokenKey] = resolution
	}
	q.groups = append(q.groups, len(group))
	return ctx.Err()
}

// contracts answers calls of tokenURI and uri from maps of URIs. A call for a token without
// a URI reverts.
type contracts struct {
	tokenURI, uri map[nft.TokenKey]string
	// calling, if not nil, is called first and may fail.
	calling func(calls []evm.Call) error
}

// Call implements [metadata.Caller].
func (c *contracts) Call(ctx context.Context, calls []evm.Call) ([]evm.CallResult, error) {
	if c.calling != nil {
		if err := c.calling(calls); err != nil {
			return nil, err
		}
	}
	results := make([]evm.CallResult, len(calls))
	for i, call := range calls {
		uris := map[uint32]map[nft.TokenKey]string{0xC87B56DD: c.tokenURI, 0x0E89341C: c.uri}[binary.BigEndian.Uint32(call.Data)]
		uri, ok := uris[nft.TokenKey{Contract: call.To, TokenID: evm.Uint256FromWord([32]byte(call.Data[4:]))}]
		if results[i].Data = chaintest.ABIString(uri); !ok {
			results[i] = evm.CallResult{Problem: "execution reverted: no such token", Reverted: true}
		}
	}
	return results, ctx.Err()
}

// contract is the collection of most tests.
var contract = evm.Address{0xC0}

func token(id uint64) nft.TokenKey {
	return nft.TokenKey{Contract: contract, TokenID: evm.NewUint256(id)}
}

// tokens returns count tokens with the same URI.
func tokens(count uint64, uri string) map[nft.TokenKey]string {
	uris := map[nft.TokenKey]string{}
	for i := range count {
		uris[token(i)] = uri
	}
	return uris
}

// tasksOf returns tasks for ERC-721 tokens, sorted by id.
func tasksOf(uris map[nft.TokenKey]string) []nft.Task {
	var tasks []nft.Task
	for key := range maps.Keys(uris) {
		tasks = append(tasks, nft.Task{TokenKey: key, Type: nft.ERC721})
	}
	slices.SortFunc(tasks, func(a, b nft.Task) int { return a.TokenID.Cmp(b.TokenID) })
	return tasks
}

// newFetcher returns a fetcher and closes it at the end of the test.
func newFetcher(t testing.TB, o metadata.FetcherOptions) *metadata.Fetcher {
	t.Helper()
	f, err := metadata.NewFetcher(o)
	expect.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// newWorker returns a worker and its clock, which advances only when the worker sleeps.
func newWorker(q *queue, c metadata.Caller, f *metadata.Fetcher) (*metadata.Worker, *chaintest.Clock) {
	clock := new(chaintest.Clock)
	return &metadata.Worker{Queue: q, Caller: c, Fetcher: f, Log: slog.New(slog.DiscardHandler), Clock: clock.Random(1)}, clock
}

// resolve runs a worker once and returns the finished resolutions of its queue.
func resolve(t *testing.T, w *metadata.Worker) map[nft.TokenKey]nft.Resolution {
	t.Helper()
	expect.NoError(t, w.Run(t.Context(), true))
	return w.Queue.(*queue).finished
}
