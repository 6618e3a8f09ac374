package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/setting"
	"mintburn/internal/evm"
)

// The names of settings.
const (
	// settingChainID is the EIP-155 chain id, decimal.
	settingChainID = "chain_id"
	// settingFinalized is the last block that the chain called final, as JSON.
	settingFinalized = "finalized"
)

// BindChain notes the chain that the database belongs to (EIP-155 chain id),
// and refuses any other from then on.
func (s *Store) BindChain(ctx context.Context, id uint64) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		row, err := w.store.client(w.tx).Setting.Get(ctx, settingChainID)
		switch {
		case isNotFound(err):
			return w.set(ctx, settingChainID, strconv.FormatUint(id, 10))
		case err != nil:
			return fmt.Errorf("reading the chain id: %w", err)
		case row.Value != strconv.FormatUint(id, 10):
			return fmt.Errorf("the database holds chain %s, the node serves chain %d: use another database", row.Value, id)
		}
		return nil
	})
	return err
}

// SetFinalized notes the last block that the chain calls final.
func (s *Store) SetFinalized(ctx context.Context, header evm.Header) error {
	value, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("encoding the finalized block: %w", err)
	}
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.set(ctx, settingFinalized, string(value))
	})
	return err
}

func (w *writer) set(ctx context.Context, name, value string) error {
	text, args := w.store.builder().Insert(setting.Table).Columns(setting.FieldID, setting.FieldValue).Values(name, value).
		OnConflict(entsql.ConflictColumns(setting.FieldID), entsql.ResolveWithNewValues()).Query()
	if _, err := w.tx.ExecContext(ctx, text, args...); err != nil {
		return fmt.Errorf("storing %s: %w", name, err)
	}
	return nil
}

// settings fills in what the settings know of the chain.
func (s *Snapshot) settings(ctx context.Context, c *Chain) error {
	t := s.builder().Table(setting.Table)
	for _, fact := range []struct {
		name string
		read func(value string) error
	}{
		{settingChainID, func(value string) (err error) {
			c.ID = new(uint64)
			*c.ID, err = strconv.ParseUint(value, 10, 64)
			return err
		}},
		{settingFinalized, func(value string) error {
			c.Finalized = new(evm.Header)
			return json.Unmarshal([]byte(value), c.Finalized)
		}},
	} {
		var value string
		found, err := s.row(ctx, s.builder().Select(t.C(setting.FieldValue)).From(t).Where(entsql.EQ(t.C(setting.FieldID), fact.name)), &value)
		if err == nil && found {
			err = fact.read(value)
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", fact.name, err)
		}
	}
	return nil
}
