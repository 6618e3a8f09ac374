package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/fastql"
)

// NewSchema returns the fast schema, with the directives of the schema.
func NewSchema() *fastql.Schema {
	return NewFastSchema(Config{Resolvers: resolver{}, Directives: directives()})
}

// NewGenerated returns a schema with gqlgen's execution alone.
func NewGenerated() *fastql.Schema {
	schema := NewSchema()
	schema.Compile = nil
	return schema
}

type resolver struct{}

func (resolver) Query() QueryResolver       { return query{} }
func (resolver) Mutation() MutationResolver { return mutation{} }
func (resolver) Person() PersonResolver     { return personFields{} }
func (resolver) Dog() DogResolver           { return dogFields{} }
func (resolver) Cat() CatResolver           { return catFields{} }
func (resolver) Badge() BadgeResolver       { return badgeFields{} }
func (resolver) Address() AddressResolver   { return addressFields{} }

type query struct{}

// Person fails in the way that the id names.
func (query) Person(ctx context.Context, id string) (*Person, error) {
	if err := called(ctx, "Query.person", id); err != nil {
		return nil, err
	}
	switch id {
	case "error":
		return person(1), errors.New("no person")
	case "coded":
		return nil, &gqlerror.Error{Message: "coded", Extensions: map[string]any{"code": "X"}}
	case "panic":
		panic("no person")
	case "warned":
		graphql.AddError(ctx, errors.New("a warning"))
		return person(2), nil
	case "refused":
		graphql.AddError(ctx, errors.New("refused"))
		return nil, nil
	case "fields":
		p := person(1)
		for _, f := range graphql.CollectFieldsCtx(ctx, []string{"Person", "Node", "Named"}) {
			p.Name += " " + f.Alias
		}
		return p, nil
	}
	p, _ := found(id).(*Person)
	return p, nil
}

func (q query) Owner(ctx context.Context, id string) (*Person, error) { return q.Person(ctx, id) }

func (q query) People(ctx context.Context, ids []string) ([]*Person, error) {
	if err := called(ctx, "Query.people"); err != nil {
		return nil, err
	}
	var list []*Person
	for _, id := range ids {
		p, _ := found(id).(*Person)
		list = append(list, p)
	}
	return list, nil
}

func (query) Maybe(ctx context.Context, ids []*string) ([]*Person, error) {
	if ids == nil {
		return nil, called(ctx, "Query.maybe")
	}
	list := []*Person{}
	for _, id := range ids {
		if id == nil {
			list = append(list, nil)
			continue
		}
		p, _ := found(*id).(*Person)
		list = append(list, p)
	}
	return list, called(ctx, "Query.maybe")
}

func (q query) Grid(ctx context.Context, rows [][]string) ([][]*Person, error) {
	var grid [][]*Person
	for _, ids := range rows {
		row, err := q.People(ctx, ids)
		if err != nil {
			return nil, err
		}
		grid = append(grid, row)
	}
	return grid, nil
}

func (query) Animals(_ context.Context, ids []string) ([]Animal, error) {
	if ids == nil {
		return []Animal{dog(1), cat(1), dog(2), nil, cat(2)}, nil
	}
	var list []Animal
	for _, id := range ids {
		a, _ := found(id).(Animal)
		list = append(list, a)
	}
	return list, nil
}

func (query) Node(ctx context.Context, id string) (Node, error) {
	switch id {
	case "error":
		return nil, errors.New("no node")
	case "nil":
		return (*Dog)(nil), nil
	}
	return found(id), called(ctx, "Query.node", id)
}

func (query) Named(_ context.Context, id string) (Named, error) {
	if id == "nil" {
		return (*Person)(nil), nil
	}
	n, _ := found(id).(Named)
	return n, nil
}

func (query) Things(context.Context) ([]Thing, error) { return things(), nil }

func (query) Page(ctx context.Context, first *int) (*PersonConnection, error) {
	if err := called(ctx, "Query.page", deref(first)); err != nil {
		return nil, err
	}
	return &PersonConnection{first: deref(first)}, nil
}

func (q query) Book(ctx context.Context, first *int) (*PersonConnection, error) {
	if first == nil {
		return nil, nil
	}
	return q.Page(ctx, first)
}

// Echo writes its arguments.
func (query) Echo(_ context.Context, filter *Filter, list []*Filter, level *Level, color *Color, date *Date, numbers [][]*int, flag bool, extra map[string]any, json []map[string]any) (string, error) {
	return shown([]any{filter, list, level, color, date, numbers, flag, extra, json, filter != nil && filter.Color.IsSet()})
}

// Mapped reads its argument with gqlgen's function for the input type.
func (query) Mapped(ctx context.Context, filter map[string]any) (*string, error) {
	var f Filter
	if err := graphql.UnmarshalInputFromContext(ctx, filter, &f); err != nil {
		return nil, err
	}
	text, err := shown(f)
	return &text, err
}

// Spoiled returns its argument as text, and then changes the argument.
func (query) Spoiled(_ context.Context, extra map[string]any) (*string, error) {
	text, err := shown(extra)
	if list, ok := extra["list"].([]any); ok && len(list) > 0 {
		list[0] = "spoiled"
	}
	if extra != nil {
		extra["n"] = "spoiled"
	}
	return &text, err
}

func shown(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (query) Limited(_ context.Context, first *int) ([]int, error) {
	return make([]int, deref(first)), nil
}

func (query) Hidden(context.Context) (*string, error)     { return ptr("hidden"), nil }
func (query) Raw(context.Context) (map[string]any, error) { return person(1).Raw, nil }
func (query) Gadget(context.Context) (Gadget, error)      { return gadget(1), nil }
func (query) Today(context.Context) (Date, error)         { return 7, nil }
func (query) Color(context.Context) (*Color, error)       { return ptr(ColorGreen), nil }
func (query) Level(context.Context) (Level, error)        { return High, nil }
func (query) Tags(context.Context) ([]string, error)      { return nil, nil }
func (query) Self(context.Context) (*Query, error)        { return nil, errors.New("not called") }
func (query) MustNot(context.Context) (int, error)        { return 0, errors.New("must not") }
func (query) Fails(ctx context.Context) (*int, error)     { return nil, called(ctx, "Query.fails") }

// Number returns its argument, or NaN without one.
func (query) Number(_ context.Context, of *float64) (*float64, error) {
	if of == nil {
		return ptr(math.NaN()), nil
	}
	return of, nil
}

type mutation struct{}

func (mutation) Rename(_ context.Context, id, name string) (*Person, error) {
	p, ok := found(id).(*Person)
	if !ok {
		return nil, fmt.Errorf("no person %s", id)
	}
	p.Name = name
	return p, nil
}

func (mutation) Turn(context.Context) (*PersonConnection, error) {
	return &PersonConnection{first: 2}, nil
}
