package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
)

// settingUnprovable are the blocks that can't be proved, as a JSON array of
// [Unprovable] in order.
const settingUnprovable = "unprovable"

// Unprovable is a range of blocks that can't be proved, and why.
type Unprovable struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
	Reason    string `json:"reason"`
}

// SetUnprovable notes blocks that can't be proved, because the operator says so or
// the nodes agree. Once a block is verified, that nodes agree is not enough: it then
// reports false, and notes nothing.
func (s *Store) SetUnprovable(ctx context.Context, r Range, reason string, operator bool) (noted bool, err error) {
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		proved, err := w.store.client(w.tx).Coverage.Query().Where(coverage.KindEQ(coverage.KindVerified)).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if noted = operator || !proved; !noted {
			return nil
		}
		var all []Unprovable
		if err := w.get(ctx, map[string]any{settingUnprovable: &all}); err != nil {
			return err
		}
		var same []Range
		for _, u := range all {
			if u.Reason == reason {
				same = append(same, Range{From: u.FromBlock, To: u.ToBlock})
			}
		}
		all = slices.DeleteFunc(all, func(u Unprovable) bool { return u.Reason == reason })
		for _, r := range r.Join(same) {
			all = append(all, Unprovable{FromBlock: r.From, ToBlock: r.To, Reason: reason})
		}
		slices.SortFunc(all, func(a, b Unprovable) int { return cmp.Compare(a.FromBlock, b.FromBlock) })
		return w.setJSON(ctx, settingUnprovable, all)
	})
	return noted, err
}

// Proved reports whether a block is verified.
func (s *Store) Proved(ctx context.Context) (proved bool, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	proved, err = snapshot.client().Coverage.Query().Where(coverage.KindEQ(coverage.KindVerified)).Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("reading coverage: %w", err)
	}
	return proved, nil
}

// Provable reports whether blocks can be proved: what holds for the newest ones of
// which it is known, and nil while it is known of none.
func (c *Chain) Provable() *bool {
	var proved, not uint64
	for _, r := range c.Verified {
		proved = r.To
	}
	for _, u := range c.Unprovable {
		not = max(not, u.ToBlock)
	}
	if len(c.Verified)+len(c.Unprovable) == 0 {
		return nil
	}
	provable := len(c.Unprovable) == 0 || len(c.Verified) > 0 && proved > not
	return &provable
}
