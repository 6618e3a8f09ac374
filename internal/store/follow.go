package store

import (
	"context"

	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// currentChain is [read.Snapshot.Chain] with a new snapshot.
func currentChain(ctx context.Context, s *write.DB) (c *read.Chain, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	return snapshot.Chain(ctx)
}
