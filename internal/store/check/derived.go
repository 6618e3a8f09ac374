package check

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/nft"
	"mintburn/internal/store/derived"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkDerived compares the derived columns of collections with their rows: the first
// record, and the token counts by records and by fetch state.
func checkDerived(ctx context.Context, c *checker) error {
	return c.pages(ctx, contract.Table, func(s *read.Snapshot, above, last int64) error {
		columns := derived.Columns(s.DB.Database.Dialect())
		_, loading, err := tables.Setting(ctx, s.Client(), tables.PendingIndexes)
		if err != nil {
			return err
		}
		if loading {
			c.note("the database is being loaded: its tokens are not counted yet")
			columns = columns[derived.RecordColumns:]
		}
		page := fmt.Sprintf("id > %d AND id <= %d", above, last)
		wrong, err := wrongColumns(ctx, c, s, columns, page)
		if err != nil {
			return fmt.Errorf("counting tokens: %w", err)
		}
		err = repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, id int64) error {
			return derived.Derive(ctx, w.Tx, columns, fmt.Sprintf("id = %d", id))
		})
		if err != nil || loading {
			return err
		}
		if wrong, err = wrongExcess(ctx, c, s, page); err != nil {
			return err
		}
		return repairEach(ctx, c, wrong, func(ctx context.Context, w *write.Tx, id int64) error {
			return derived.DeriveExcess(ctx, w.Tx, fmt.Sprintf("id = %d", id))
		})
	})
}

// wrongColumns reports the derived columns of a page of collections that differ from their
// rows, and returns the ids of those collections.
func wrongColumns(ctx context.Context, c *checker, s *read.Snapshot, columns []derived.Column, where string) (wrong []int64, err error) {
	text := "SELECT id"
	for _, d := range columns {
		text += ", " + d.Name + ", " + d.Value
	}
	text += " FROM " + contract.Table + " WHERE " + where + " ORDER BY id"
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
				list = append(list, difference{id, d.Name, noted, given})
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

// wrongExcess reports the collections whose excess differs from their records, and returns
// their ids.
func wrongExcess(ctx context.Context, c *checker, s *read.Snapshot, where string) (wrong []int64, err error) {
	for kind, column := range derived.ExcessColumns {
		given, err := derived.Excess(ctx, s.Tx, nft.Kind(kind), where)
		if err != nil {
			return nil, err
		}
		var list []int64
		err = s.Tx.Query(ctx, entsql.Raw("SELECT id, "+column+" FROM "+contract.Table+" WHERE "+where+" ORDER BY id"), func(row *database.Row) error {
			id := row.Int64()
			excess, some := given[id]
			if row.Null() == some || some && !bytes.Equal(row.Bytes(), excess.Bytes()) {
				list = append(list, id)
			}
			return row.Err()
		})
		if err != nil {
			return nil, database.Wrap(err, "reading contracts")
		}
		for _, id := range list {
			c.differ("collection %s: %s is not that of its records, %s", contractName(ctx, s, id), column, given[id])
		}
		wrong = append(wrong, list...)
	}
	return wrong, nil
}
