package graph

import (
	"context"
	"encoding"
	"errors"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// Final reports whether the answer to an operation is final: it has only mints
// and burns of final, indexed blocks, without metadata. It returns "" for one
// that is not, and else the generation ([store.Snapshot.Generation]) for which
// the answer is right. verified says that all its blocks are proved complete. It
// must be called within the operation: it reads the operation's snapshot.
func Final(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (generation string, verified bool, err error) {
	filters, ok := bounded(o.SelectionSet, variables, nil)
	if !ok || len(filters) == 0 {
		return "", false, nil
	}
	snapshot := snapshotOf(ctx)
	verified = true
	for _, f := range filters {
		final, proved, err := snapshot.Final(ctx, f)
		var refused *nft.Error
		if errors.As(err, &refused) {
			// A directive left the field out, or the operation had said so.
			return "", false, nil
		}
		if err != nil || !final {
			return "", false, err
		}
		verified = verified && proved
	}
	generation, err = snapshot.Generation(ctx)
	return generation, verified, err
}

// bounded collects the ranges that the root fields ask for; it reports false
// for fields whose answers may change whatever is asked for.
func bounded(selections ast.SelectionSet, variables map[string]any, filters []store.Filter) ([]store.Filter, bool) {
	for _, selection := range selections {
		ok := true
		switch s := selection.(type) {
		case *ast.InlineFragment:
			filters, ok = bounded(s.SelectionSet, variables, filters)
		case *ast.FragmentSpread:
			filters, ok = bounded(s.Definition.SelectionSet, variables, filters)
		case *ast.Field:
			switch s.Name {
			case "__typename":
			case "mints", "burns":
				var f store.Filter
				if f, ok = bounds(s.ArgumentMap(variables)); ok && !selects(s.SelectionSet, "metadata") {
					filters = append(filters, f)
				} else {
					ok = false
				}
			default:
				ok = false
			}
		}
		if !ok {
			return nil, false
		}
	}
	return filters, true
}

// bounds reads the arguments that say which blocks are asked for.
func bounds(arguments map[string]any) (f store.Filter, ok bool) {
	read := func(name string, to encoding.TextUnmarshaler) bool {
		return arguments[name] != nil && to.UnmarshalText(fmt.Append(nil, arguments[name])) == nil
	}
	if block := new(evm.BlockNumberOrHash); read("block", block) {
		f.Block = block
		return f, true
	}
	from, to := new(evm.Long), new(evm.Long)
	f.FromBlock, f.ToBlock = from, to
	return f, read("fromBlock", from) && read("toBlock", to)
}

// selects reports whether a field of that name is selected at any depth.
func selects(selections ast.SelectionSet, name string) bool {
	for _, selection := range selections {
		found := false
		switch s := selection.(type) {
		case *ast.Field:
			found = s.Name == name || selects(s.SelectionSet, name)
		case *ast.InlineFragment:
			found = selects(s.SelectionSet, name)
		case *ast.FragmentSpread:
			found = selects(s.Definition.SelectionSet, name)
		}
		if found {
			return true
		}
	}
	return false
}
