package write

import (
	"context"

	"mintburn/internal/database"
	"mintburn/internal/store/digest"
)

// FillDigests adds some of the missing digests, see package digest, and returns the number of blocks
// that got them. It reports whether none was missing.
func FillDigests(ctx context.Context, s *DB) (blocks uint64, done bool, err error) {
	snapshot := s.Snapshot()
	done, err = digest.Of(snapshot.Tx, snapshot.Client()).Complete(ctx)
	if snapshot.End(&err); err != nil || done {
		return 0, done, database.Wrap(err, "looking for digests")
	}
	err = s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) (err error) {
		blocks, err = digest.Fill(ctx, w.Tx, w.client)
		return err
	})
	return blocks, false, database.Wrap(err, "adding digests")
}
