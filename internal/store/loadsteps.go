package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// LoadSteps returns how many transactions [Store.FinishLoad] has left: one for each
// index, and one for the counters.
func (s *Store) LoadSteps(ctx context.Context) (steps int, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	value, err := snapshot.setting(ctx, settingPostponed)
	if err != nil || value == "" {
		return 0, err
	}
	var statements []string
	if err := json.Unmarshal([]byte(value), &statements); err != nil {
		return 0, fmt.Errorf("reading %s: %w", settingPostponed, err)
	}
	return len(statements) + 1, nil
}
