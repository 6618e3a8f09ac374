package check

import (
	"context"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkDerived compares the derived columns of collections with their rows: the first
// record, and the token counts by records and by fetch state.
func checkDerived(ctx context.Context, c *checker) error {
	return c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
		columns := write.DerivedColumns(s.DB.Database.Dialect())
		_, loading, err := tables.Setting(ctx, s.Client(), tables.PendingIndexes)
		if err != nil {
			return err
		}
		if loading {
			c.note("the database is being loaded: its tokens are not counted yet")
			columns = columns[write.RecordDerived:]
		}
		wrong, err := wrongColumns(ctx, c, s, columns, above, last)
		if err != nil {
			return fmt.Errorf("counting tokens: %w", err)
		}
		return repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, id int64) error {
			return write.Derive(ctx, w.Tx, columns, fmt.Sprintf("id = %d", id))
		})
	})
}

// wrongColumns reports the derived columns of a page of collections that differ from their
// rows, and returns the ids of those collections.
func wrongColumns(ctx context.Context, c *checker, s *read.Snapshot, columns []write.Derived, above, last int64) (wrong []int64, err error) {
	text := "SELECT id"
	for _, d := range columns {
		text += ", " + d.Column + ", " + d.Value
	}
	text += fmt.Sprintf(" FROM %s WHERE id > %d AND id <= %d ORDER BY id", contract.Table, above, last)
	type difference struct {
		id           int64
		column       string
		noted, given string
	}
	var list []difference
	number := func(row *database.Row) string {
		if row.Null() {
			return "null"
		}
		return strconv.FormatInt(row.Int64(), 10)
	}
	err = s.Tx.Query(ctx, entsql.Raw(text), func(row *database.Row) error {
		id := row.Int64()
		for _, d := range columns {
			if noted, given := number(row), number(row); noted != given {
				list = append(list, difference{id, d.Column, noted, given})
			}
		}
		return row.Err()
	})
	for _, d := range list {
		c.differ("collection %s: %s is %s, its rows give %s", contractName(ctx, s, d.id), d.column, d.noted, d.given)
		if len(wrong) == 0 || wrong[len(wrong)-1] != d.id {
			wrong = append(wrong, d.id)
		}
	}
	return wrong, err
}
