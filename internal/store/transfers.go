package store

import (
	"context"
	"fmt"
	"slices"

	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// transfers reads at most limit records in [lo, hi], with their blocks, from the low
// or the high end. covered means that all blocks that the query needs are indexed;
// otherwise they may be.
func transfers(ctx context.Context, s *read.Snapshot, q *query.Query, lo, hi int64, limit int, fromHigh, alone bool) (items []Transfer, covered bool, err error) {
	if lo > hi {
		return nil, false, nil
	}
	of := query.Selection{Lo: lo, Hi: hi, Limit: limit, FromHigh: fromHigh, Joined: true, Needs: q.Needs}
	text, args := s.StatementOf(q, "page", of)
	items, _, err = readTransfers(ctx, s, q.Kind, database.Statement{Text: text, Args: args, Alone: alone, Read: coveredIn(q, &covered)})
	return items, covered, err
}

// coveredIn returns a function that reads the column of what a query needs, which is in each row, and
// sets covered.
func coveredIn(q *query.Query, covered *bool) func(*database.Row) error {
	return func(row *database.Row) error {
		if *covered = true; q.Needs != query.NeedsNone {
			*covered = q.Needs.MetBy(row, q.From)
		}
		return row.Err()
	}
}

// transferRows are the rows of a statement with JoinBlock: the present one, and the records
// and contracts so far.
type transferRows struct {
	tables.RecordRow
	items     []Transfer
	contracts []int64
}

// readTransfers runs a statement whose rows are records with their blocks. If the
// statement's Read is set, it reads the further columns of each row. readTransfers returns
// the records and the numbers of their contracts.
func readTransfers(ctx context.Context, s *read.Snapshot, kind nft.Kind, one database.Statement) (items []Transfer, contracts []int64, err error) {
	found, ok := s.DB.Records.Get().(*transferRows)
	if !ok {
		found = new(transferRows)
	}
	defer func() {
		// Do not keep the memory of large pages, which are rare.
		if cap(found.items) > 256 {
			found.items, found.contracts = nil, nil
		}
		s.DB.Records.Put(found)
	}()
	found.Kind, found.items, found.contracts = kind, found.items[:0], found.contracts[:0]
	more := one.Read
	one.Read = func(row *database.Row) error {
		found.items = append(found.items, Transfer{})
		err := readJoined(&found.RecordRow, row, &found.items[len(found.items)-1])
		found.contracts = append(found.contracts, found.Mint.ContractID)
		if err == nil && more != nil {
			err = more(row)
		}
		return err
	}
	if err := s.Tx.RunAll(ctx, one); err != nil {
		return nil, nil, fmt.Errorf("reading %ss: %w", kind, err)
	}
	// Only now that the rows are closed: addresses that are not cached take another
	// statement.
	addresses, err := read.ContractAddresses(ctx, s, found.contracts)
	if err != nil {
		return nil, nil, err
	}
	// Copy, because there are often far fewer records than the limit.
	items, contracts = slices.Clone(found.items), slices.Clone(found.contracts)
	for i := range items {
		items[i].Contract = addresses[i]
	}
	return items, contracts, nil
}
