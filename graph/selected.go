package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/store/page"
)

// wants reports whether one of these fields of a type is selected below a root field.
func wants(ctx context.Context, object string, fields ...string) bool {
	return fastql.AnySelection(rootField(ctx).Selections, func(s ast.Selection, _ ast.DirectiveList) bool {
		f, ok := s.(*ast.Field)
		return ok && f.ObjectDefinition.Name == object && slices.Contains(fields, f.Name)
	})
}

// withCoverage calls read. On PostgreSQL the same round trip reads the coverage, which these fields of a
// type need, if one of them is selected.
func withCoverage(ctx context.Context, read func(context.Context) error, object string, fields ...string) error {
	snapshot := snapshotOf(ctx)
	if !snapshot.Tx.Gathers() || !wants(ctx, object, fields...) {
		return read(ctx)
	}
	return snapshot.Tx.Together(ctx, 2, func(ctx context.Context, i int) error {
		if i == 0 {
			return read(ctx)
		}
		// Those who need the coverage return its error.
		_, _ = snapshot.Indexed(ctx)
		return nil
	})
}

// selectedOf returns a function that computes what the selections of a root field require from
// all pages of these types below it.
func selectedOf(types ...string) func(context.Context) page.Selected {
	return func(ctx context.Context) (found page.Selected) {
		addSelectedOf(&found, rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, types)
		found.BucketEnds = wantsBucketEnds(ctx)
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
