package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/fastql"
)

// NewSchema returns the fast schema.
func NewSchema() *fastql.Schema { return NewFastSchema(Config{Resolvers: resolver{}}) }

// NewGenerated returns a schema with gqlgen's execution alone.
func NewGenerated() *fastql.Schema {
	schema := NewSchema()
	schema.Compile, schema.Subscription.Compile = nil, nil
	return schema
}

type resolver struct{}
type query struct{}
type subscription struct{}
type personFields struct{}

func (resolver) Query() QueryResolver               { return query{} }
func (resolver) Subscription() SubscriptionResolver { return subscription{} }
func (resolver) Person() PersonResolver             { return personFields{} }

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
		for _, f := range graphql.CollectFieldsCtx(ctx, []string{"Person", "Named"}) {
			p.ID += " " + f.Alias
		}
		return p, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(id, "p"))
	return person(n), err
}

// Person sends the person of the query with the same id.
func (subscription) Person(ctx context.Context, id string) (<-chan *Person, error) {
	p, err := query{}.Person(ctx, id)
	if err != nil {
		return nil, err
	}
	return fastql.Once(p), nil
}

func (query) Named(ctx context.Context, first *uint64) ([]Named, error) {
	if first == nil {
		return nil, nil
	}
	list := []Named{person(1), Cat{1}, person(4), nil, Cat{2}, (*Person)(nil)}
	return list[:min(*first, 6)], called(ctx, "Query.named")
}

func (query) Page(ctx context.Context, first *uint64) (*Page, error) {
	if first == nil {
		return nil, nil
	}
	return &Page{first: int(*first)}, called(ctx, "Query.page", *first)
}

// Echo writes its argument.
func (query) Echo(_ context.Context, filter *Filter) (string, error) {
	text, err := json.Marshal(filter)
	return string(text), err
}

// each calls of for each object that is not nil, and returns one value for each object.
func each[T, V any](objs []*T, of func(obj *T) V) []V {
	list := make([]V, len(objs))
	for i, obj := range objs {
		if obj != nil {
			list[i] = of(obj)
		}
	}
	return list
}

func (personFields) Twin(ctx context.Context, objs []*Person, fail *string) ([]*Person, error) {
	twins := each(objs, func(p *Person) *Person { return person(p.N - 1) })
	if err := called(ctx, "Person.twin", len(objs)); err != nil || fail == nil {
		return twins, err
	}
	switch *fail {
	case "all":
		return nil, errors.New("no twins")
	case "few":
		return twins[1:], nil
	}
	odd := each(objs, func(p *Person) error {
		if p.N%2 == 0 {
			return nil
		}
		return fmt.Errorf("%s is odd", p.ID)
	})
	if errors.Join(odd...) == nil {
		return twins, nil
	}
	return twins, graphql.BatchErrorList(odd)
}
