package store

import (
	"context"
	"errors"
)

// LoadSteps returns how many transactions [Store.FinishLoad] has left: one for each
// index, and one for the counters.
func (s *Store) LoadSteps(ctx context.Context) (steps int, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	var statements []string
	found, err := snapshot.get(ctx, settingPostponed, &statements)
	if err != nil || !found {
		return 0, err
	}
	return len(statements) + 1, nil
}
