package digest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// atOnce is how many records a statement reads, full about how many a transaction adds to digests.
const atOnce, full = 1_000, 10_000

// Source reads records and digests, in a snapshot or in a writing transaction.
type Source struct {
	from   tables.Querier
	client *ent.Client
	// addresses are those of contracts that were read.
	addresses map[int64]evm.Address
	// covered are the blocks with stored digests, once [Source.Range] has read them, for the next range.
	covered *[]evm.Range
	// list is reused.
	list []record
}

// record is a record that was read, with the number of its contract.
type record struct {
	nft.Record
	block    evm.BlockRef
	time     uint64
	contract int64
}

// Of returns the source of a transaction, whose client reads coverage and contracts.
func Of(from tables.Querier, client *ent.Client) *Source {
	return &Source{from: from, client: client, addresses: map[int64]evm.Address{}}
}

// records adds the records of a kind in blocks to a tree.
func (s *Source) records(ctx context.Context, kind nft.Kind, in evm.Range, t *tree) error {
	values := tables.RecordRow{Kind: kind}
	of := query.Within(in)
	of.Limit, of.Joined = atOnce, true
	for more := true; more; {
		list, damaged := s.list[:0], error(nil)
		unread := map[int64]struct{}{}
		err := s.from.Query(ctx, (&query.Query{Kind: kind}).Selector(s.client, of), func(row *database.Row) (err error) {
			list = append(list, record{})
			r := &list[len(list)-1]
			if r.time, err = values.ReadJoined(row, &r.Record, &r.block); err != nil {
				damaged = err
			}
			r.contract = values.Mint.ContractID
			if _, known := s.addresses[r.contract]; !known {
				unread[r.contract] = struct{}{}
			}
			return err
		})
		s.list = list
		if err == nil && len(unread) > 0 {
			damaged, err = s.readAddresses(ctx, slices.Collect(maps.Keys(unread)))
		}
		if damaged != nil {
			err = &damagedError{kind, damaged}
		}
		if err != nil {
			return fmt.Errorf("reading %ss: %w", kind, err)
		}
		for i := range list {
			r := &list[i]
			r.Contract = s.addresses[r.contract]
			t.record(&r.Record, r.block, r.time)
		}
		if more = len(list) == atOnce; more {
			of.Lo = values.Mint.ID + 1
		}
	}
	return nil
}

// damagedError says that a record of a kind can't be read.
type damagedError struct {
	kind nft.Kind
	why  error
}

// Error implements error.
func (e *damagedError) Error() string { return e.why.Error() }

// readAddresses reads the addresses of contracts. damaged says that some have none.
func (s *Source) readAddresses(ctx context.Context, ids []int64) (damaged, err error) {
	n := len(ids)
	rows := s.client.Contract.Query().Where(contract.IDIn(ids...)).Select(contract.FieldID, contract.FieldAddress).Selector()
	err = s.from.Query(ctx, rows, func(row *database.Row) error {
		var id int64
		var address evm.Address
		if row.Values(&id, &address) != nil {
			row.Forgive()
			return nil
		}
		s.addresses[id] = address
		n--
		return nil
	})
	if err == nil && n > 0 {
		damaged = fmt.Errorf("internal error: %d of %d contracts have no address", n, len(ids))
	}
	return damaged, database.Wrap(err, "looking up contracts")
}

// few narrows blocks, whole groups of 64 in order, to the first of them with about full records.
func (s *Source) few(ctx context.Context, in evm.Range) (evm.Range, error) {
	for _, kind := range kinds {
		table := s.from.Builder().Table((&query.Query{Kind: kind}).Table())
		next := s.from.Builder().Select(mint.FieldID).From(table).Where(entsql.And(entsql.GTE(mint.FieldID, tables.FirstIn(in.From)), entsql.LTE(mint.FieldID, tables.LastIn(in.To)))).
			OrderBy(mint.FieldID).Offset(full / len(kinds)).Limit(1)
		err := s.from.Query(ctx, next, func(row *database.Row) error {
			group := row.Unsigned(tables.MaxPosition) >> tables.SlotBits >> bits << bits
			in.To = max(group, in.From+1<<bits) - 1
			return row.Err()
		})
		if err != nil {
			return in, fmt.Errorf("reading %ss: %w", kind, err)
		}
	}
	return in, nil
}

// rows returns the rows of a level's buckets that follow from records, or from the stored rows of
// the level below.
func (s *Source) rows(ctx context.Context, of part) ([]*row, error) {
	in, below := blocks(of.level, of.buckets), []*row(nil)
	if of.level > 1 {
		var err error
		children := evm.Range{From: of.buckets.From << bits, To: (of.buckets.To+1)<<bits - 1}
		if below, err = stored(ctx, s.from, part{of.level - 1, children}); err != nil {
			return nil, err
		}
	}
	return collect(of.level, func(kind int, t *tree) error {
		if of.level == 1 {
			return s.records(ctx, kinds[kind], in, t)
		}
		for _, r := range below {
			if r.sums[kind] != nil {
				t.add(r.level, r.bucket, r.sums[kind])
			}
		}
		return nil
	})
}
