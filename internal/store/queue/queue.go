package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/ent/predicate"
	"mintburn/ent/resolution"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Options tune a [Queue].
type Options struct {
	// Contracts are the collections whose tokens are handed out; none means all.
	Contracts []evm.Address
	// Now returns the time; nil means [time.Now].
	Now func() time.Time
	// Keep is the number of different documents of a token that are kept, from 1 to MaxKeep;
	// 0 means DefaultKeep.
	Keep int
	// Lease is how long a worker may have a token before another may claim it, in
	// whole seconds, at least one; 0 means DefaultLease.
	Lease time.Duration
}

// DefaultLease is the lease of a [Queue] whose Lease is 0.
const DefaultLease = 10 * time.Minute

// enterAtOnce is about the number of mints, or tokens of refreshes, that one transaction
// enters. A block with more mints is still entered whole.
const enterAtOnce = 5_000

// MaxClaim is the maximum number of tokens that one call of [Queue.Claim] returns.
const MaxClaim = 20_000

// Queue hands out the tokens whose metadata must be fetched. Any number of queues may use
// one database, in one process or several.
type Queue struct {
	write Write
	opts  Options
}

// New returns a queue.
func New(write Write, opts Options) *Queue {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Lease == 0 {
		opts.Lease = DefaultLease
	}
	opts.Lease, opts.Keep = max(opts.Lease, time.Second), cmp.Or(opts.Keep, DefaultKeep)
	return &Queue{write: write, opts: opts}
}

// Claim leases at most limit due tokens to the caller and returns them, first due first. If no
// token is due, it does so with collections.
// No other caller gets a token until its lease ends or [Queue.Finish] is called. Claim
// also enters new mints and refreshes into the queue. It returns no tokens only if all
// of those are entered and nothing is due.
func (q *Queue) Claim(ctx context.Context, limit int) (tasks []nft.Task, err error) {
	if limit < 1 || limit > MaxClaim {
		return nil, fmt.Errorf("tokens to claim: got %d, want 1 to %d", limit, MaxClaim)
	}
	for more := true; more && len(tasks) == 0; {
		err := q.write(ctx, func(ctx context.Context, tx Tx) (err error) {
			if more, err = enter(ctx, tx, q.now(), enterAtOnce); err != nil {
				return err
			}
			if tasks, err = q.claim(ctx, tx, limit); err != nil || len(tasks) > 0 || more {
				return err
			}
			only, err := q.collections(ctx, tx)
			if err == nil {
				tasks, err = claimCollections(ctx, tx, q.now(), q.leaseEnd(), limit, only)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("claiming tokens: %w", err)
		}
	}
	return tasks, nil
}

func (q *Queue) now() int64 { return q.opts.Now().Unix() }

// leaseEnd returns the end of a lease that begins now. No row is claimed twice within a second,
// so it identifies the lease.
func (q *Queue) leaseEnd() int64 { return q.now() + int64(q.opts.Lease/time.Second) }

func (q *Queue) claim(ctx context.Context, tx Tx, limit int) ([]nft.Task, error) {
	due, err := q.due(ctx, tx, limit)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	seen, err := lastFinal(ctx, tx)
	if err != nil {
		return nil, err
	}
	end := q.leaseEnd()
	var ids []int
	var contracts []int64
	for _, t := range due {
		ids, contracts = append(ids, t.ID), append(contracts, t.ContractID)
	}
	slices.Sort(contracts)
	client := tx.Client()
	rows, err := client.Contract.Query().Where(contract.IDIn(slices.Compact(contracts)...)).All(ctx)
	if err != nil {
		return nil, err
	}
	named := map[int64]*ent.Contract{}
	for _, row := range rows {
		named[row.ID] = row
	}
	tasks := make([]nft.Task, 0, len(due))
	for _, t := range due {
		c, standards := named[t.ContractID], t.Standard
		if c == nil {
			// The contract's row was lost. The token is leased as well, so that it does not
			// keep others from being claimed.
			continue
		}
		if t.State == resolution.StateDone && t.Error == nil {
			tx.CountState(tables.StateChange{ContractID: t.ContractID, From: nft.Resolved, To: nft.Pending, Tokens: 1})
		}
		if c.Standards == tables.ERC721 || c.Standards == tables.ERC1155 {
			// Other collections have both standards, or only documents.
			standards = c.Standards
		}
		tasks = append(tasks, nft.Task{
			TokenKey: nft.TokenKey{Contract: c.Address, TokenID: t.TokenID}, Type: tables.TypeOf(standards, false),
			Attempts: int(t.Attempts), Due: *t.DueAt, Lease: end,
		})
	}
	err = client.Resolution.Update().Where(resolution.IDIn(ids...)).
		SetState(resolution.StateLeased).SetDueAt(end).SetSeenBlock(seen).Exec(ctx)
	if err == nil && len(tasks) == 0 {
		return q.claim(ctx, tx, limit)
	}
	return tasks, err
}

// due returns at most limit rows that are due, first due first.
func (q *Queue) due(ctx context.Context, tx Tx, limit int) (due []*ent.Resolution, err error) {
	client := tx.Client().Resolution
	if len(q.opts.Contracts) == 0 {
		return client.Query().Where(resolution.DueAtLTE(q.now())).
			Order(resolution.ByDueAt(), resolution.ByID()).Limit(limit).All(ctx)
	}
	ids, err := q.contracts(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		// One query for each collection, because the index is in order of due_at only
		// within a collection.
		rows, err := client.Query().Where(resolution.ContractID(id), resolution.DueAtLTE(q.now())).
			Order(resolution.ByContractID(), resolution.ByDueAt(), resolution.ByID()).Limit(limit).All(ctx)
		if err != nil {
			return nil, err
		}
		due = append(due, rows...)
	}
	slices.SortFunc(due, func(a, b *ent.Resolution) int {
		return cmp.Or(cmp.Compare(*a.DueAt, *b.DueAt), cmp.Compare(a.ID, b.ID))
	})
	return due[:min(len(due), limit)], nil
}

// contracts returns the numbers of the queue's collections.
func (q *Queue) contracts(ctx context.Context, tx Tx) ([]int64, error) {
	return tx.Client().Contract.Query().Where(contract.AddressIn(q.opts.Contracts...)).IDs(ctx)
}

// collections selects the queue's collections.
func (q *Queue) collections(ctx context.Context, tx Tx) ([]predicate.ContractMetadata, error) {
	if len(q.opts.Contracts) == 0 {
		return nil, nil
	}
	ids, err := q.contracts(ctx, tx)
	return []predicate.ContractMetadata{contractmetadata.ContractIDIn(ids...)}, err
}

// RetryFailed makes all tokens and collections due whose last fetch failed, even if their next
// fetch is due later or never. It returns the number of tokens.
func (q *Queue) RetryFailed(ctx context.Context) (retried int, err error) {
	return q.again(ctx, "retrying failed",
		func(u *ent.ResolutionUpdate) { u.Where(resolution.ErrorNotNil()).SetState(resolution.StateWaiting) },
		func(u *ent.ContractMetadataUpdate) {
			u.Where(contractmetadata.ErrorNotNil()).SetState(contractmetadata.StateWaiting)
		})
}

// Recheck makes all tokens and collections due whose last fetch succeeded and is that old,
// even if their next fetch is due later or never. It returns the number of tokens.
func (q *Queue) Recheck(ctx context.Context, age time.Duration) (due int, err error) {
	before := uint64(max(0, q.now()-int64(age/time.Second)))
	return q.again(ctx, "rechecking",
		func(u *ent.ResolutionUpdate) { u.Where(resolution.ErrorIsNil(), resolution.AttemptedAtLTE(before)) },
		func(u *ent.ContractMetadataUpdate) {
			u.Where(contractmetadata.ErrorIsNil(), contractmetadata.AttemptedAtLTE(before))
		})
}

// again makes the queue's tokens and collections due that are done and that tokens and
// collections select. It returns the number of tokens.
func (q *Queue) again(ctx context.Context, what string, tokens func(*ent.ResolutionUpdate), collections func(*ent.ContractMetadataUpdate)) (due int, err error) {
	err = q.write(ctx, func(ctx context.Context, tx Tx) error {
		only, err := q.collections(ctx, tx)
		if err != nil {
			return err
		}
		update := tx.Client().ContractMetadata.Update().Where(contractmetadata.StateEQ(contractmetadata.StateDone)).Where(only...).SetDueAt(q.now())
		collections(update)
		return update.Exec(ctx)
	})
	if err != nil {
		return 0, fmt.Errorf("%s collections: %w", what, err)
	}
	// A bounded range of ids is quick to scan even if no token in it is selected.
	const part = 50_000
	for from, last := 0, 1; from < last; from += part {
		err := q.write(ctx, func(ctx context.Context, tx Tx) (err error) {
			client, found := tx.Client().Resolution, false
			if last, found, err = tables.Found(client.Query().Order(resolution.ByID(entsql.OrderDesc())).FirstID(ctx)); err != nil || !found {
				return err
			}
			update := client.Update().Where(resolution.IDGT(from), resolution.IDLTE(from+part), resolution.StateEQ(resolution.StateDone)).SetDueAt(q.now())
			if len(q.opts.Contracts) > 0 {
				ids, err := q.contracts(ctx, tx)
				if err != nil {
					return err
				}
				update.Where(resolution.ContractIDIn(ids...))
			}
			tokens(update)
			n, err := update.Save(ctx)
			due += n
			return err
		})
		if err != nil {
			return due, fmt.Errorf("%s tokens: %w", what, err)
		}
	}
	return due, nil
}
