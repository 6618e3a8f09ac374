package store

import (
	"context"
	"fmt"
)

// Check compares derived data with its rows, and the rows with each other. With Repair it
// fixes the differences that the rows can decide, in small transactions, and compares
// everything again. It fails only if the database cannot be read or written.
func (s *Store) Check(ctx context.Context, opts CheckOptions) (Checked, error) {
	c := newChecker(s, opts)
	for c.round = range checkRounds {
		c.left, c.repairs = 0, 0
		for _, pass := range []struct {
			name string
			run  func(context.Context, *checker) error
		}{
			// This pass comes first: the others read through the indexes.
			{"the file", checkFile},
			{"coverage", checkRanges},
			{"blocks that are not indexed", checkUncovered},
			{"coverage", checkClaims},
			{"headers", checkHeaders},
			{"times", checkTimes},
			{"records", checkRecords},
			{"contracts", checkContracts},
			{"documents", checkDocuments},
			{"rows without a contract", checkOrphans},
			{"the queue", checkUnminted},
			{"the queue", checkQueue},
			{"counts of collections", checkDerived},
			{"counters", checkCounters},
		} {
			if err := pass.run(ctx, c); err != nil {
				return c.checked(), fmt.Errorf("checking %s: %w", pass.name, err)
			}
		}
		if c.repairs == 0 {
			break
		}
	}
	return c.checked(), nil
}
