package foreign

import (
	"context"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
)

type personFields struct{}

func (personFields) Friends(ctx context.Context, p *Person, first *int, skip int) ([]*Person, error) {
	if err := called(ctx, "Person.friends", p.ID); err != nil {
		return nil, err
	}
	if skip < 0 {
		return nil, errors.New("a negative skip")
	}
	var list []*Person
	for i := range deref(first) {
		list = append(list, person((p.N+skip+i+1)%persons))
	}
	return list, nil
}

func (personFields) Fails(ctx context.Context, p *Person) (*int, error) {
	if err := called(ctx, "Person.fails", p.ID); err != nil {
		return nil, err
	}
	if p.N == 2 || p.N == 3 {
		return p.Age, fmt.Errorf("%s fails", p.ID)
	}
	return p.Age, nil
}

func (personFields) MustNot(ctx context.Context, p *Person) (int, error) {
	if err := called(ctx, "Person.mustNot", p.ID); err != nil {
		return 0, err
	}
	if p.N == 4 {
		return 0, fmt.Errorf("%s must not", p.ID)
	}
	return p.N, nil
}

// each calls of for each object that is not nil, and returns one value for each object.
func each[T, V any](objs []*T, of func(i int, obj *T) V) []V {
	list := make([]V, len(objs))
	for i, obj := range objs {
		if obj != nil {
			list[i] = of(i, obj)
		}
	}
	return list
}

func (personFields) Badge(ctx context.Context, objs []*Person, style *string) ([]*Badge, error) {
	if err := called(ctx, "Person.badge", len(objs)); err != nil {
		return nil, err
	}
	return each(objs, func(_ int, p *Person) *Badge {
		if p.N%3 == 0 {
			return nil
		}
		return &Badge{Title: deref(style) + p.Name, Holder: p}
	}), nil
}

func (personFields) Score(ctx context.Context, objs []*Person, of *Color, by *Factor) ([]int, error) {
	if err := called(ctx, "Person.score", len(objs)); err != nil {
		return nil, err
	}
	return each(objs, func(_ int, p *Person) int { return p.N*deref(by).By + len(deref(of)) + deref(deref(by).Plus) }), nil
}

func (personFields) Debts(ctx context.Context, objs []*Person, fail *bool) ([]*int, error) {
	if err := called(ctx, "Person.debts", len(objs)); err != nil {
		return nil, err
	}
	if deref(fail) {
		return nil, errors.New("debts are secret")
	}
	return each(objs, func(_ int, p *Person) *int { return p.Age }), nil
}

func (personFields) Short(_ context.Context, objs []*Person, by *int) ([]*int, error) {
	return make([]*int, max(0, len(objs)-max(0, deref(by)))), nil
}

func (personFields) Each(ctx context.Context, objs []*Person, odd *bool) ([]int, error) {
	if err := called(ctx, "Person.each", len(objs)); err != nil {
		return nil, err
	}
	numbers := each(objs, func(_ int, p *Person) int { return p.N })
	if !deref(odd) {
		return numbers, nil
	}
	return numbers, graphql.BatchErrorList(each(objs, func(_ int, p *Person) error {
		if p.N%2 == 0 {
			return nil
		}
		return fmt.Errorf("%s is odd", p.ID)
	}))
}

func (personFields) Team(_ context.Context, objs []*Person, fail *bool) ([][]*Person, error) {
	if deref(fail) {
		return nil, errors.New("no teams")
	}
	return each(objs, func(_ int, p *Person) []*Person {
		if p.N == 0 {
			return nil
		}
		return []*Person{p, person(1)}
	}), nil
}

type badgeFields struct{}

func (badgeFields) Holder(ctx context.Context, objs []*Badge) ([]*Person, error) {
	if err := called(ctx, "Badge.holder", len(objs)); err != nil {
		return nil, err
	}
	return each(objs, func(_ int, b *Badge) *Person { return b.Holder }), nil
}

// Issuer fails for holder 2.
func (badgeFields) Issuer(ctx context.Context, b *Badge) (*Person, error) {
	if err := called(ctx, "Badge.issuer", b.Holder.ID); err != nil {
		return nil, err
	}
	if b.Holder.N == 2 {
		return nil, fmt.Errorf("nobody issued %q", b.Title)
	}
	return person(b.Holder.N + 1), nil
}

func (badgeFields) Stamps(_ context.Context, objs []*Badge, fail *bool) ([][]string, error) {
	if deref(fail) {
		return nil, errors.New("no stamps")
	}
	return each(objs, func(_ int, b *Badge) []string { return []string{b.Title} }), nil
}

type dogFields struct{}

func (dogFields) Owner(ctx context.Context, objs []*Dog) ([]*Person, error) {
	if err := called(ctx, "Dog.owner", len(objs)); err != nil {
		return nil, err
	}
	return each(objs, func(_ int, d *Dog) *Person { return person(d.N) }), nil
}

func (dogFields) Tag(context.Context, []*Dog) ([]*string, error) {
	return nil, errors.New("dogs have no tags")
}

type catFields struct{}

func (catFields) Owner(_ context.Context, c *Cat) (*Person, error) {
	if c.N == 3 {
		return nil, fmt.Errorf("cat %d has no owner", c.N)
	}
	return person(c.N + 1), nil
}

type addressFields struct{}

func (addressFields) City(_ context.Context, objs []*Address) ([]*string, error) {
	return each(objs, func(_ int, a *Address) *string { return ptr("city of " + a.Street) }), nil
}
