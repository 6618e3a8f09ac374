package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The queue is the table resolutions: one row for each token that was ever
// entered, which stays there. Its state is
//
//   - waiting: to be fetched, and nobody does;
//   - leased: a worker has it. Should it not come back in time, the next to ask
//     gets it;
//   - again: leased, and an event came since. It waits again after;
//   - done: at rest.
//
// Whose turn it is has one order: a token that was never given out has minus
// its block's number, so that new mints come before all else and the newest of
// them first; every other has the time from which it may be given out; null is
// for those that only an event will wake.
//
// [Store.Apply] writes nothing for a mint: the blocks whose mints are not in the
// queue yet are those that are indexed and not covered as queued, and a worker
// enters them, the newest first, a few thousand at a time. So nothing is lost by
// a crash, and the follower waits for nothing longer than that.
//
// A metadata event is a row of refreshes until its tokens are looked up, see
// refresh.go.

// Queue gives out the tokens whose metadata is to be fetched. Any number of
// them may work on one database, in one process or several.
type Queue struct {
	store *Store
	opts  QueueOptions
}

// QueueOptions tune a [Queue].
type QueueOptions struct {
	// Contracts are the collections whose tokens are given out; none means all.
	Contracts []evm.Address
	// Now tells the time; nil means [time.Now].
	Now func() time.Time
	// Lease is how long a worker may have a token before it is given to
	// another, in whole seconds, at least one; 0 means DefaultLease.
	Lease time.Duration
}

// DefaultLease is the lease of a [Queue] whose Lease is 0.
const DefaultLease = 10 * time.Minute

// enterAtOnce is how many mints, or tokens of a refresh, one transaction enters
// at most, but for a block of more mints: it is entered whole, as it was stored.
const enterAtOnce = 5_000

// Queue returns the queue of this database.
func (s *Store) Queue(opts QueueOptions) *Queue {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Lease == 0 {
		opts.Lease = DefaultLease
	}
	opts.Lease = max(opts.Lease, time.Second)
	return &Queue{store: s, opts: opts}
}

// Claim gives out at most limit tokens that are due, in their order, each to
// one caller only until its lease ends or [Queue.Finish] is called. It enters
// new mints and refreshes into the queue on the way; none are returned only
// when all of them are entered and nothing is due.
func (q *Queue) Claim(ctx context.Context, limit int) (tasks []nft.Task, err error) {
	if limit < 1 || limit > maxArgs {
		return nil, fmt.Errorf("claiming %d tokens: want 1 to %d", limit, maxArgs)
	}
	for more := true; more && len(tasks) == 0; {
		_, err := q.store.write(ctx, func(ctx context.Context, w *writer) error {
			if more, err = w.enter(ctx, q.now(), enterAtOnce); err != nil {
				return err
			}
			tasks, err = q.claim(ctx, w, limit)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("claiming tokens: %w", err)
		}
	}
	return tasks, nil
}

func (q *Queue) now() int64 { return q.opts.Now().Unix() }

func (q *Queue) claim(ctx context.Context, w *writer, limit int) ([]nft.Task, error) {
	due, err := q.due(ctx, w, limit)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	seen, err := w.seenBlock(ctx)
	if err != nil {
		return nil, err
	}
	// The same row is not given out twice within a second, so that the end of
	// a lease names it.
	end := q.now() + int64(q.opts.Lease/time.Second)
	var ids []int
	var contracts []int64
	for _, t := range due {
		ids, contracts = append(ids, t.ID), append(contracts, t.ContractID)
	}
	slices.Sort(contracts)
	client := w.store.client(w.tx)
	rows, err := client.Contract.Query().Where(contract.IDIn(slices.Compact(contracts)...)).All(ctx)
	if err != nil {
		return nil, err
	}
	named := map[int64]nft.Task{}
	for _, row := range rows {
		task := nft.Task{TokenKey: nft.TokenKey{Contract: row.Address}}
		if row.Shapes == shape721 || row.Shapes == shape1155 {
			task.Type = typeOf(row.Shapes, false)
		}
		named[row.ID] = task
	}
	tasks := make([]nft.Task, len(due))
	for i, t := range due {
		task := named[t.ContractID]
		if task.Type == "" {
			// A contract of both standards, or a document without a record.
			task.Type = typeOf(t.Shape, false)
		}
		task.TokenID, task.Attempts, task.Lease = t.TokenID, int(t.Attempts), end
		tasks[i] = task
	}
	return tasks, client.Resolution.Update().Where(resolution.IDIn(ids...)).
		SetState(resolution.StateLeased).SetTurn(end).SetSeenBlock(seen).Exec(ctx)
}

// due reads the rows whose turn has come, in their order.
func (q *Queue) due(ctx context.Context, w *writer, limit int) (due []*ent.Resolution, err error) {
	client := w.store.client(w.tx).Resolution
	if len(q.opts.Contracts) == 0 {
		return client.Query().Where(resolution.TurnLTE(q.now())).
			Order(resolution.ByTurn(), resolution.ByID()).Limit(limit).All(ctx)
	}
	ids, err := q.contracts(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		// One collection after the other, since only its own index is in order.
		rows, err := client.Query().Where(resolution.ContractID(id), resolution.TurnLTE(q.now())).
			Order(resolution.ByContractID(), resolution.ByTurn(), resolution.ByID()).Limit(limit).All(ctx)
		if err != nil {
			return nil, err
		}
		due = append(due, rows...)
	}
	slices.SortFunc(due, func(a, b *ent.Resolution) int { return cmp.Or(cmp.Compare(*a.Turn, *b.Turn), cmp.Compare(a.ID, b.ID)) })
	return due[:min(len(due), limit)], nil
}

// contracts returns the numbers of the queue's collections.
func (q *Queue) contracts(ctx context.Context, w *writer) ([]int64, error) {
	return w.store.client(w.tx).Contract.Query().Where(contract.AddressIn(q.opts.Contracts...)).IDs(ctx)
}

// seenBlock returns the last block that the chain calls final: whatever is
// asked of a node from now on, it has seen this block. It is -1 where the chain
// has not told.
func (w *writer) seenBlock(ctx context.Context) (int64, error) {
	finalized, known, err := w.finalized(ctx)
	if err != nil || !known {
		return -1, err
	}
	return int64(finalized.Number), nil
}

// RetryFailed makes every token due whose last try failed, whenever its next
// was to be, and returns their number.
func (q *Queue) RetryFailed(ctx context.Context) (retried int, err error) {
	// A part of the key is quick to look through even where nothing failed.
	const part = 50_000
	for from, last := 0, 1; from < last; from += part {
		_, err := q.store.write(ctx, func(ctx context.Context, w *writer) error {
			var err error
			last, err = w.store.client(w.tx).Resolution.Query().Order(resolution.ByID(entsql.OrderDesc())).FirstID(ctx)
			if ent.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			update := w.store.client(w.tx).Resolution.Update().Where(resolution.IDGT(from), resolution.IDLTE(from+part),
				resolution.StateEQ(resolution.StateDone), resolution.ErrorNotNil())
			if len(q.opts.Contracts) > 0 {
				ids, err := q.contracts(ctx, w)
				if err != nil {
					return err
				}
				update.Where(resolution.ContractIDIn(ids...))
			}
			n, err := update.SetState(resolution.StateWaiting).SetTurn(q.now()).Save(ctx)
			retried += n
			return err
		})
		if err != nil {
			return retried, fmt.Errorf("retrying failed tokens: %w", err)
		}
	}
	return retried, nil
}
