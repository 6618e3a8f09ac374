package check

import (
	"context"
	"errors"
	"fmt"

	"mintburn/internal/database"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Run compares derived data with its rows, and the rows with each other. With Repair it
// fixes the differences that the rows can decide, in small transactions, and compares
// everything again. It fails only if the database cannot be read or written, and with
// [database.ErrNoShadow] after everything that needs no temporary tables.
func Run(ctx context.Context, s *write.DB, opts Options) (Result, error) {
	c, left := newChecker(s, opts), error(nil)
	for c.round = range checkRounds {
		c.left, c.repairs = 0, 0
		for _, pass := range []struct {
			name string
			run  func(context.Context, *checker) error
		}{
			// These passes come first: the others read through the indexes, and need whole rows.
			{"the file", checkFile},
			{"columns", checkColumns},
			{"coverage", checkRanges},
			{"blocks that are not indexed", checkUncovered},
			{"coverage", checkClaims},
			{"headers", checkHeaders},
			{"times", checkTimes},
			{"records", checkRecords},
			{"contracts", checkStandards},
			{"documents", checkDocuments},
			{"rows without a contract", checkOrphans},
			{"entries of the index of traits", checkEntries},
			{"the queue", checkUnminted},
			{"versions of documents", checkVersions},
			{"the queue", checkQueue},
			{"rows that follow from others", checkDerived},
			{"counters", checkCounters},
			{"digests", checkDigests},
		} {
			err := pass.run(ctx, c)
			if errors.Is(err, database.ErrNoShadow) {
				left = fmt.Errorf("checking %s: %w", pass.name, err)
				continue
			}
			if err != nil && c.damaged && ctx.Err() == nil && !read.IsLost(err) {
				c.note("%s can't be checked before the damaged rows are restored: %v", pass.name, err)
				continue
			}
			if err != nil {
				return c.checked(), fmt.Errorf("checking %s: %w", pass.name, err)
			}
		}
		if c.repairs == 0 {
			break
		}
	}
	return c.checked(), left
}
