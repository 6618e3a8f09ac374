package graph

import (
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// argument is an argument of a root field as it was written: the name of a
// variable, or a value.
type argument struct {
	name, variable string
	value          any
}

// argumentsOf returns the arguments of a field; it reports false if a value can
// not be read.
func argumentsOf(f graphql.CollectedField) ([]argument, bool) {
	list := make([]argument, len(f.Arguments))
	for i, a := range f.Arguments {
		list[i].name = a.Name
		if a.Value.Kind == ast.Variable {
			list[i].variable = a.Value.Raw
			continue
		}
		value, err := a.Value.Value(nil)
		if err != nil {
			return nil, false
		}
		list[i].value = value
	}
	return list, true
}

// arguments are those of all root fields.
type arguments struct {
	store.Filter
	store.PageArgs
}

// read reads arguments with the code of their scalars. Null is as if it was not
// given, and so is a variable without a value. Every error is for the generated
// code to find again, and to show.
func (to *arguments) read(list []argument, variables request) (err error) {
	for _, a := range list {
		v := a.value
		if a.variable != "" {
			v = variables[a.variable]
		}
		if v == nil {
			continue
		}
		switch a.name {
		case "block":
			to.Block, err = scalar[evm.BlockNumberOrHash](v)
		case "address":
			to.Address, err = scalar[evm.Address](v)
		case "transactionHash":
			to.TransactionHash, err = scalar[evm.Hash](v)
		case "tokenId":
			to.TokenID, err = scalar[evm.Uint256](v)
		case "account":
			to.Account, err = scalar[evm.Address](v)
		case "fromBlock":
			to.FromBlock, err = scalar[evm.Long](v)
		case "toBlock":
			to.ToBlock, err = scalar[evm.Long](v)
		case "order":
			to.Order, err = UnmarshalOrder(v)
		case "first":
			to.First, err = pointer(UnmarshalInt(v))
		case "last":
			to.Last, err = pointer(UnmarshalInt(v))
		case "after":
			to.After, err = pointer(UnmarshalCursor(v))
		case "before":
			to.Before, err = pointer(UnmarshalCursor(v))
		default:
			err = errGenerated
		}
		if err != nil {
			return fmt.Errorf("reading the argument %s: %w", a.name, err)
		}
	}
	return nil
}

// scalar reads a value of one of package evm's scalars.
func scalar[T any, P interface {
	*T
	graphql.Unmarshaler
}](v any) (*T, error) {
	value := P(new(T))
	return value, value.UnmarshalGQL(v)
}

func pointer[T any](value T, err error) (*T, error) { return &value, err }
