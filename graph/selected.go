package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/store/page"
)

// selectedOf returns a function that computes what the selections of a root field require from
// all pages of these types below it.
func selectedOf(types ...string) func(context.Context) page.Selected {
	return func(ctx context.Context) (found page.Selected) {
		addSelectedOf(&found, rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, types)
		return found
	}
}

func addSelectedOf(found *page.Selected, set ast.SelectionSet, variables map[string]any, types []string) {
	fastql.EachField(set, variables, func(f *ast.Field) {
		if slices.Contains(types, f.Definition.Type.Name()) {
			addSelected(found, f.SelectionSet, variables, true)
		}
		found.Texts |= texts[f.ObjectDefinition.Name][f.Name]
		addSelectedOf(found, f.SelectionSet, variables, types)
	})
}
