package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent"
	"mintburn/internal/evm"
)

// settingNumbering is how the chain numbers its logs, an [evm.Numbering]; absent
// until a block has shown it.
const settingNumbering = "log_numbering"

// Numbering returns how the chain numbers its logs.
func (s *Store) Numbering(ctx context.Context) (n evm.Numbering, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	value, err := snapshot.setting(ctx, settingNumbering)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", settingNumbering, err)
	}
	return evm.Numbering(value), nil
}

// BindNumbering notes how the chain numbers its logs, unless that is noted
// already, and returns what is noted: nothing changes it.
func (s *Store) BindNumbering(ctx context.Context, n evm.Numbering) (bound evm.Numbering, err error) {
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		row, err := w.store.client(w.tx).Setting.Get(ctx, settingNumbering)
		if ent.IsNotFound(err) {
			bound = n
			return w.set(ctx, settingNumbering, string(n))
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", settingNumbering, err)
		}
		bound = evm.Numbering(row.Value)
		return nil
	})
	return bound, err
}
