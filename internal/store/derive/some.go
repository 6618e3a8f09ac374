package derive

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/store/tables"
)

// Some recomputes the derived columns of some collections that depend on records.
func Some(ctx context.Context, tx *database.Tx, ids []int64, loading bool) error {
	columns := Columns(tx.Dialect())[:RecordColumns]
	if loading {
		columns = columns[:1] // The indexes for the others are not built yet.
	}
	for part := range slices.Chunk(ids, tables.MaxArgs) {
		list := make([]string, len(part))
		for i, id := range part {
			list[i] = strconv.FormatInt(id, 10)
		}
		where := func(column string) string { return column + " IN (" + strings.Join(list, ", ") + ")" }
		err := SetColumns(ctx, tx, columns, where(contract.FieldID))
		if err == nil && !loading {
			err = SetExcess(ctx, tx, where)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
