package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mintburn/ent/coverage"
	"mintburn/internal/store/tables"
)

// SetUnprovable notes blocks that can't be proved, because the operator says so or
// the nodes agree. Once a block is verified, that nodes agree is not enough: it then
// reports false, and notes nothing.
func (p Proofs) SetUnprovable(ctx context.Context, r Range, reason string, operator bool) (noted bool, err error) {
	err = p.store.write(ctx, func(ctx context.Context, w *writer) error {
		proved, err := w.client.Coverage.Query().Where(coverage.KindEQ(coverage.KindVerified)).Exist(ctx)
		if err != nil {
			return fmt.Errorf("reading coverage: %w", err)
		}
		if noted = operator || !proved; !noted {
			return nil
		}
		var all []Unprovable
		if _, err := tables.Get(ctx, w.client, tables.Unprovable, &all); err != nil {
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
		return tables.Set(ctx, w.client, tables.Unprovable, all)
	})
	return noted, err
}
