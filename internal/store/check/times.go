package check

import (
	"context"

	"mintburn/ent/block"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// checkTimes compares the setting [tables.TimesFall] with the headers.
func checkTimes(ctx context.Context, c *checker) error {
	wrong := false
	compare := func(s *read.Snapshot, above, last int64) error {
		var noted *uint64
		if _, err := read.GetSetting(ctx, s, tables.TimesFall, &noted); err != nil {
			return err
		}
		found, err := write.LowestFall(ctx, s.Tx, uint64(above+1), uint64(last))
		if err == nil && found != nil && (noted == nil || *found < *noted) {
			c.differ("times: block %d is earlier than a block before it, which is not noted", *found)
			wrong = true
		}
		if err != nil || noted == nil || above >= 0 {
			return err
		}
		if found, err = write.LowestFall(ctx, s.Tx, *noted, *noted); err == nil && found == nil {
			c.differ("times: block %d is noted to be earlier than a block before it, and is not", *noted)
			wrong = true
		}
		return err
	}
	if err := c.read(ctx, func(s *read.Snapshot) error { return compare(s, -1, 0) }); err != nil {
		return err
	}
	if err := c.pages(ctx, block.Table, compare); err != nil || !wrong {
		return err
	}
	return c.repair(ctx, func(ctx context.Context, w *write.Tx) error {
		lowest, err := write.LowestFall(ctx, w, 0, tables.MaxBlock)
		if err != nil {
			return err
		}
		return write.SetFall(ctx, w, lowest)
	})
}
