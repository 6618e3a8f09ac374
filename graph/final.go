package graph

import (
	"context"
	"encoding"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// Final reports whether the answer to an operation is final: it contains only mints and burns
// of finalized, indexed blocks, without metadata or tokens, or later finalized blocks may add to it,
// or its block is a tag, which later names another. verified reports that all its blocks are final and
// proved complete. Final must be called within the operation, because it reads the operation's
// snapshot.
func Final(ctx context.Context, o *ast.OperationDefinition, variables map[string]any) (is, verified bool, err error) {
	filters, ok := bounded(o.SelectionSet, variables)
	if !ok || len(filters) == 0 {
		return false, false, nil
	}
	snapshot := snapshotOf(ctx)
	final, proved := make([]bool, len(filters)), make([]bool, len(filters))
	err = snapshot.Tx.Together(ctx, len(filters), func(ctx context.Context, i int) (err error) {
		final[i], proved[i], err = snapshot.Final(ctx, filters[i])
		return err
	})
	if err != nil {
		return false, false, err
	}
	for i, f := range filters {
		if !final[i] && f.Finality != store.Finalized && (f.Block == nil || f.Block.Tag == "") {
			return false, false, nil
		}
	}
	return true, !slices.Contains(proved, false), nil
}

// bounded returns the block ranges of the root fields. It returns false if the answer may
// change regardless of its range.
func bounded(set ast.SelectionSet, variables map[string]any) (filters []store.Filter, ok bool) {
	ok = true
	fastql.EachField(set, variables, func(f *ast.Field) {
		switch f.Name {
		case "__typename":
		case "mints", "burns":
			filter, bounded := bounds(f.ArgumentMap(variables))
			filters, ok = append(filters, filter), ok && bounded && !fastql.AnySelection(f.SelectionSet, changes)
		default:
			ok = false
		}
	})
	return filters, ok
}

// changes reports whether a selection below a mint or burn may change after its block is
// final, because it belongs to the token.
func changes(s ast.Selection, _ ast.DirectiveList) bool {
	f, ok := s.(*ast.Field)
	return ok && (f.Name == "metadata" || f.Name == "token")
}

// bounds returns the range in a field's arguments. It returns false if the answer may change
// regardless of the finalized blocks.
func bounds(arguments map[string]any) (f store.Filter, ok bool) {
	read := func(name string, to encoding.TextUnmarshaler) bool {
		return arguments[name] != nil && to.UnmarshalText(fmt.Append(nil, arguments[name])) == nil
	}
	long := func(name string) *evm.Long {
		if n := new(evm.Long); read(name, n) {
			return n
		}
		return nil
	}
	if block := new(evm.BlockNumberOrHash); read("block", block) {
		f.Block = block
		return f, true
	}
	f.FromBlock, f.ToBlock, f.FromTime, f.ToTime = long("fromBlock"), long("toBlock"), long("fromTime"), long("toTime")
	if arguments["finality"] == string(store.Finalized) {
		f.Finality = store.Finalized
	}
	return f, f.Finality == store.Finalized || f.ToBlock != nil || f.ToTime != nil
}
