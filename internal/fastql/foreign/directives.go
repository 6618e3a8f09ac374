package foreign

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql"
)

func directives() DirectiveRoot {
	return DirectiveRoot{Upper: upper, AtMost: atMost, Twice: twice, Traced: traced}
}

func upper(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
	v, err := next(ctx)
	switch v := v.(type) {
	case string:
		return strings.ToUpper(v), err
	case *string:
		return ptr(strings.ToUpper(*v)), err
	}
	return v, err
}

func atMost(ctx context.Context, _ any, next graphql.Resolver, n int) (any, error) {
	v, err := next(ctx)
	if i, ok := v.(*int); ok && i != nil && *i > n {
		return nil, fmt.Errorf("%d is more than %d", *i, n)
	}
	return v, err
}

// twice calls the resolver twice.
func twice(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
	if v, err := next(ctx); err != nil {
		return v, err
	}
	return next(ctx)
}

func traced(ctx context.Context, _ any, next graphql.Resolver, fail *bool) (any, error) {
	if deref(fail) {
		return nil, errors.New("not traced")
	}
	return next(ctx)
}
