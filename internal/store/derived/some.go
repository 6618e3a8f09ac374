package derived

import (
	"context"
	"slices"
	"strconv"
	"strings"

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
		where := "id IN (" + strings.Join(list, ", ") + ")"
		err := Derive(ctx, tx, columns, where)
		if err == nil && !loading {
			err = DeriveExcess(ctx, tx, where)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
