package check

import (
	"context"
	"fmt"
	"math"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/queue"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

const (
	// shadowRows is about how many records and documents one shadow derives rows from, unless a
	// collection has more.
	shadowRows = 100_000
	// shadowLines is how many different rows of a table are reported for each shadow.
	shadowLines = 10_000
)

// wrongRow is a row of a table that differs from the derived one.
type wrongRow struct {
	of derive.Table
	derive.Difference
}

// collection returns the number of the row's collection.
func (w wrongRow) collection() int64 { return w.Key(w.of)[0].(int64) }

// checkDerived compares the rows of collections that follow from others with those that a shadow
// derives.
func checkDerived(ctx context.Context, c *checker) error {
	for above := int64(-1); above < math.MaxInt64; {
		of, rows, err := nextCollections(ctx, c, above)
		if err != nil {
			return err
		}
		var wrong []wrongRow
		err = database.Shadow(ctx, c.store.Database, derive.Hidden, func(ctx context.Context, tx *database.Tx) (err error) {
			wrong, err = wrongRows(ctx, c, tx, of)
			return err
		})
		if err == nil {
			err = differRows(ctx, c, wrong)
		}
		if err == nil {
			err = replaceRows(ctx, c, wrong)
		}
		if err != nil {
			return err
		}
		c.compared(rows)
		above = of.Last
	}
	return nil
}

// nextCollections returns the next collections with about shadowRows records and documents, and
// their number. The last of them include numbers that no contract has.
func nextCollections(ctx context.Context, c *checker, above int64) (of derive.Collections, rows int64, err error) {
	of = derive.Collections{Above: above, Last: math.MaxInt64}
	err = c.read(ctx, func(s *read.Snapshot) error {
		size := "1 + abs(tokens) + abs(COALESCE(mint_count, 0)) + abs(COALESCE(burn_count, 0))"
		next := s.Tx.Builder().Select(contract.FieldID).AppendSelectExpr(entsql.Raw(size)).From(entsql.Table(contract.Table)).
			Where(entsql.GT(contract.FieldID, above)).OrderBy(contract.FieldID).Limit(checkPage)
		n, full := 0, false
		return s.Tx.Query(ctx, next, func(row *database.Row) error {
			id, size := row.Int64(), row.Int64()
			if n++; !full {
				rows += size
				if full = rows >= shadowRows || n == checkPage; full {
					of.Last = id
				}
			}
			return row.Err()
		})
	})
	return of, rows, database.Wrap(err, "reading contracts")
}

// wrongRows returns the rows of collections that differ, at most shadowLines of a table.
func wrongRows(ctx context.Context, c *checker, tx *database.Tx, of derive.Collections) (wrong []wrongRow, err error) {
	state, err := derive.StateOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	if state.Loading {
		c.note("the database is being loaded: its records are not counted yet")
	}
	if err := state.Fill(ctx, tx, of); err != nil {
		return nil, err
	}
	for _, table := range state.Tables(tx, of) {
		n := 0
		err := table.Compare(ctx, tx, func(d derive.Difference) error {
			if n++; n <= shadowLines {
				wrong = append(wrong, wrongRow{table, d})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if n > shadowLines {
			c.differ("%s: %d more rows of collections number %d to %d differ", table.Name, n-shadowLines, of.Above+1, of.Last)
		}
	}
	return wrong, nil
}

// differRows reports rows.
func differRows(ctx context.Context, c *checker, wrong []wrongRow) error {
	if len(wrong) == 0 {
		return nil
	}
	return c.read(ctx, func(s *read.Snapshot) error {
		names := map[int64]string{}
		for _, w := range wrong {
			id := w.collection()
			if names[id] == "" {
				names[id] = contractName(ctx, s, id)
			}
			name := ""
			for i, key := range w.Key(w.of)[1:] {
				value := key.([]byte)
				if name += fmt.Sprintf(", %s 0x%x", w.of.Columns[i+1], value); w.of.Name == facet.Index && i+1 == len(w.of.Columns)-1 {
					name += tokenName(value)
				}
			}
			c.differ("%s: collection %s%s: %s", w.of.Name, names[id], name, w.What(w.of))
		}
		return nil
	})
}

// tokenName returns the decimal id of a token for the line of a difference.
func tokenName(stored []byte) string {
	var id evm.Uint256
	if id.Scan(stored) != nil {
		return ""
	}
	return " (" + id.String() + ")"
}

// replaceRows derives all rows of the collections of rows anew. A collection whose name was wrong
// becomes due, because its contract may have another one.
func replaceRows(ctx context.Context, c *checker, wrong []wrongRow) error {
	var ids []int64
	due := map[int64]bool{}
	for _, w := range wrong {
		ids = append(ids, w.collection())
		due[w.collection()] = due[w.collection()] || w.of.Name == contractmetadata.Table
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		err := c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
			if due[id] {
				if err := queue.EnterCollections(ctx, w, []*ent.Contract{{ID: id}}); err != nil {
					return err
				}
			}
			state, err := derive.StateOf(ctx, w.Tx)
			if err != nil {
				return err
			}
			return state.Replace(ctx, w.Tx, derive.Collections{Above: id - 1, Last: id})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
