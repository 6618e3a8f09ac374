package store

import (
	"context"

	"mintburn/internal/database"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/page"
)

// Trait is one trait of a collection.
type Trait = facet.Trait

// TraitValue is one value of a trait.
type TraitValue = facet.Counted

// TraitFilter selects the tokens that have any of the values of a trait.
type TraitFilter = facet.Filter

// traitPage is one page of the traits of a collection, by name.
type traitPage struct {
	page.Page[*Trait]
	of *Collection
}

// Traits returns a page of the traits of a collection's documents, by name; [page.AnyPage.Read]
// reads it. Traits only checks the arguments, which may not go backward. Its errors are of type
// [apierror.Error] with the code BAD_USER_INPUT or INVALID_CURSOR; those of Read may also have
// the code UNAVAILABLE, while the traits are counted after an upgrade.
func (s *Snapshot) Traits(of *Collection, args page.Args) (*page.Page[*Trait], error) {
	p := &traitPage{of: of}
	if err := page.Begin(&p.AnyPage, s.Snapshot, p, args); err != nil {
		return nil, err
	}
	return &p.Page, p.BelongTo(cursor.Fingerprint(append([]byte("traits of"), of.Address[:]...)))
}

// Prepare implements [page.List]. While the traits are counted, there is no page.
func (p *traitPage) Prepare(context.Context, page.Selected) (page.Items, []page.Read, error) {
	return p.readItems, []page.Read{func(ctx context.Context) error {
		_, err := p.Count(ctx)
		return err
	}}, nil
}

func (p *traitPage) readItems(ctx context.Context, _ bool) ([]page.Read, error) {
	items, err := facet.Page(ctx, p.Snapshot, p.of.contractID, keyOf(p.After, nil), p.Size+1)
	p.Take(items)
	return nil, err
}

// Key implements [page.List].
func (p *traitPage) Key(i int) (cursor.Key, error) {
	if i < 0 {
		return cursor.Key{TokenID: keyOf(p.After, []byte{})}, nil
	}
	return cursor.Key{TokenID: p.Items[i].Key}, nil
}

// Exists implements [page.List].
func (p *traitPage) Exists(ctx context.Context, _ bool, bound *cursor.Cursor) (bool, error) {
	return facet.Precede(ctx, p.Snapshot, p.of.contractID, bound.Key)
}

// Count implements [page.List].
func (p *traitPage) Count(ctx context.Context) (int64, error) {
	return database.Shared(ctx, p.Snapshot.Tx, p, func(ctx context.Context) (int64, error) { return facet.Number(ctx, p.Snapshot, p.of.contractID) })
}

// TraitValues returns at most limit values of each trait, those of the most tokens first, then
// by text.
func (s *Snapshot) TraitValues(ctx context.Context, traits []*Trait, limit int) ([][]TraitValue, error) {
	return facet.Values(ctx, s.Snapshot, traits, limit)
}
