package store

import (
	"context"
	"errors"

	"mintburn/internal/evm"
)

// Tip returns the last block of the indexed range that holds from, and false
// if from is not indexed.
func (s *Store) Tip(ctx context.Context, from uint64) (header evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	r, found, err := snapshot.around(ctx, from)
	if err != nil || !found {
		return header, false, err
	}
	header, found, err = snapshot.header(ctx, r.To)
	if err == nil && !found {
		err = errors.New("internal error: the last indexed block has no header")
	}
	return header, found, err
}

// Header returns the stored canonical header at a height, and false if there
// is none. Its parent hash is zero where it was never fetched.
func (s *Store) Header(ctx context.Context, number uint64) (header evm.Header, found bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return snapshot.header(ctx, number)
}
