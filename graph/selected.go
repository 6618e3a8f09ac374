package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/store"
)

// selectedTexts returns the texts that the selections below the root field of a
// context need: a page is read once for all of them.
func selectedTexts(ctx context.Context) store.Texts { return selected(ctx).Texts }

// rootField returns the root field of a context.
func rootField(ctx context.Context) graphql.CollectedField {
	root := graphql.GetFieldContext(ctx)
	for field := root.Parent; field != nil; field = field.Parent {
		if field.Field.Field != nil {
			root = field
		}
	}
	return root.Field
}

// selected returns what the selections below the root field of a context ask of its page.
func selected(ctx context.Context) (found store.Selected) {
	addSelected(&found, rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, true)
	return found
}

// addSelected adds what a selection asks of a page, and the texts that it needs. Below
// the page is what is not within another one.
func addSelected(found *store.Selected, set ast.SelectionSet, variables map[string]any, page bool) {
	fastql.EachField(set, variables, func(f *ast.Field) {
		switch {
		case !page:
		case f.Name == "totalItems":
			found.Total = true
		case f.Name == "cursor", f.Name == "hasNextPage":
			// That of an edge needs nothing, and costs no round trip either.
			found.Next = true
		case f.Name == "hasPreviousPage":
			found.Previous = true
		case f.Name == "indexed":
			found.Indexed = true
		case f.Name == "buckets":
			if interval, err := UnmarshalInterval(f.ArgumentMap(variables)["interval"]); err == nil {
				found.Buckets.Add(interval)
			}
		case f.Name == "metadata":
			found.Metadata = true
		}
		found.Texts |= texts[f.ObjectDefinition.Name][f.Name]
		addSelected(found, f.SelectionSet, variables, page && f.Definition.Arguments.ForName("first") == nil && f.Name != "token" && f.Name != "buckets")
	})
}

// selectedOf returns what a root field's selections ask of the pages of these types
// together, wherever they are below it.
func selectedOf(types ...string) func(context.Context) store.Selected {
	return func(ctx context.Context) (found store.Selected) {
		addSelectedOf(&found, rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, types)
		return found
	}
}

func addSelectedOf(found *store.Selected, set ast.SelectionSet, variables map[string]any, types []string) {
	fastql.EachField(set, variables, func(f *ast.Field) {
		if slices.Contains(types, f.Definition.Type.Name()) {
			addSelected(found, f.SelectionSet, variables, true)
		}
		found.Texts |= texts[f.ObjectDefinition.Name][f.Name]
		addSelectedOf(found, f.SelectionSet, variables, types)
	})
}
