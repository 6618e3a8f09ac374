package read

import (
	"context"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/burn"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/setting"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// rangeColumns are the columns of coverage that form a range.
var rangeColumns = []string{coverage.FieldFromBlock, coverage.FieldToBlock}

// Indexed returns the indexed ranges of blocks, in order.
func (s *Snapshot) Indexed(ctx context.Context) ([]evm.Range, error) {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return nil, err
	}
	return known.indexed, nil
}

// coveredBy returns the blocks whose records are known, with one statement unless the last snapshot
// that read them was of the same state.
func coveredBy(ctx context.Context, s *Snapshot) (*covered, error) {
	return database.Shared(ctx, s.Tx, coverage.KindIndexed, func(ctx context.Context) (*covered, error) {
		if err := s.Tx.Begin(ctx); err != nil {
			return nil, err
		}
		s.mu.Lock()
		numbers, known := s.numbers, &covered{state: s.state}
		s.mu.Unlock()
		if known.state != "" {
			if last := numbers.covered.Load(); last != nil && last.state == known.state {
				return last, nil
			}
		}
		_, err := s.Cached(ctx, query.Key{Name: "covered"}, func(client *ent.Client) entsql.Querier {
			ranges := client.Coverage.Query().Where(coverage.KindEQ(coverage.KindIndexed)).Order(coverage.ByFromBlock())
			ranges.Modify(func(c *entsql.Selector) {
				c.Select(c.Columns(rangeColumns...)...).AppendSelectExpr(entsql.Expr(deployment))
			})
			return ranges.Selector()
		}, []any{coverage.KindIndexed.String()}, func(row *database.Row) error {
			known.indexed = append(known.indexed, evm.Range{From: row.Unsigned(tables.MaxBlock), To: row.Unsigned(tables.MaxBlock)})
			if !row.Null() {
				known.start = tables.BlockOf(row.Int64())
			}
			return row.Err()
		})
		if err == nil && known.state != "" {
			numbers.covered.Store(known)
		}
		return known, database.Wrap(err, "reading coverage")
	})
}

// deployment is the first position that may have a record: null if none was set, 0 if a
// record contradicts it. The orders make PostgreSQL use the primary keys.
var deployment = fmt.Sprintf("(SELECT CASE WHEN COALESCE((SELECT id FROM %s WHERE id < at ORDER BY id LIMIT 1), "+
	"(SELECT id FROM %s WHERE id < at ORDER BY id LIMIT 1)) IS NULL THEN at ELSE 0 END "+
	"FROM (SELECT CAST(%s AS bigint) << %d AS at FROM %s WHERE id = '%s') AS deployed)",
	mint.Table, burn.Table, setting.FieldValue, tables.SlotBits, setting.Table, tables.Deployment)

// WholeTo reports whether all records up to a block are known; nil means the last indexed
// block. A block that is not indexed is an [apierror.Error] with the code BLOCK_NOT_INDEXED.
func WholeTo(ctx context.Context, s *Snapshot, block *evm.Long) (bool, error) {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return false, err
	}
	return known.wholeTo(block)
}

// wholeTo is [WholeTo].
func (c *covered) wholeTo(block *evm.Long) (bool, error) {
	if len(c.indexed) == 0 {
		return false, notIndexed("nothing is indexed yet", nil, nil)
	}
	to := c.indexed[len(c.indexed)-1].To
	if block != nil {
		to = uint64(*block)
	}
	for _, r := range c.indexed {
		if r.From <= to && to <= r.To {
			return r.From <= c.start || to < c.start, nil
		}
	}
	return false, notIndexed(fmt.Sprintf("block %d is not indexed", to), c.indexed, []evm.Range{{From: to, To: to}})
}

// RequireNoHole returns an error for a query about all blocks if blocks are missing between
// the indexed ranges.
func RequireNoHole(ctx context.Context, s *Snapshot) error {
	known, err := coveredBy(ctx, s)
	switch {
	case err != nil:
		return err
	case len(known.indexed) == 0:
		return notIndexed("nothing is indexed yet", nil, nil)
	case len(known.indexed) > 1:
		return MayBeMissing(known.indexed)
	}
	return nil
}

// RequireWhole returns an error if missing blocks may contain a record of what, or if only
// some collections are indexed and one of the addresses is not.
func RequireWhole(ctx context.Context, s *Snapshot, what string, addresses ...evm.Address) error {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return err
	}
	switch whole, err := known.wholeTo(nil); {
	case err != nil:
		return err
	case !whole:
		head := known.indexed[len(known.indexed)-1].To
		return notIndexed(fmt.Sprintf("%s has no record in the indexed blocks, and may have one in others", what), known.indexed,
			tables.Missing(known.indexed, evm.Range{From: known.start, To: head}))
	}
	for _, address := range addresses {
		if err := RequireContract(ctx, s, address); err != nil {
			return err
		}
	}
	return nil
}

// MayBeMissing returns the error for a query that may concern missing blocks between the
// indexed ranges.
func MayBeMissing(ranges []evm.Range) error {
	holes := tables.Missing(ranges, evm.Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	return notIndexed("blocks that are not indexed may contain more records: want fromBlock and toBlock within an indexed range, or partial: true", ranges, holes)
}

// notIndexed returns an error with the code BLOCK_NOT_INDEXED that lists the indexed and
// the missing ranges: the last 10 of each.
func notIndexed(what string, indexed, missing []evm.Range) error {
	e := apierror.Errorf(apierror.BlockNotIndexed, "%s", what)
	names, details := lastFew(indexed)
	_, holes := lastFew(missing)
	if len(names) > 0 {
		e.Message += ": indexed are " + strings.Join(names, ", ")
	}
	e.Details = map[string]any{"indexedRanges": details, "missingRanges": holes}
	return e
}

// lastFew formats the last 10 ranges.
func lastFew(ranges []evm.Range) (names []string, details []map[string]uint64) {
	const most = 10
	details = []map[string]uint64{}
	for _, r := range ranges[max(0, len(ranges)-most):] {
		names = append(names, fmt.Sprintf("%d to %d", r.From, r.To))
		details = append(details, map[string]uint64{"fromBlock": r.From, "toBlock": r.To})
	}
	return names, details
}
