package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
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

// selectedTexts returns the texts that the selections below the context's root field need,
// because a page is read once for all of them.
func selectedTexts(ctx context.Context) read.Texts { return selected(ctx).Texts }

// rootField returns the root field in a context.
func rootField(ctx context.Context) graphql.CollectedField {
	root := graphql.GetFieldContext(ctx)
	for field := root.Parent; field != nil; field = field.Parent {
		if field.Field.Field != nil {
			root = field
		}
	}
	return root.Field
}

// isGiven reports whether an argument of the root field is not its default.
func isGiven(ctx context.Context, argument string) bool {
	a := rootField(ctx).Arguments.ForName(argument)
	if a == nil || a.Value.Kind != ast.Variable {
		return a != nil
	}
	_, given := graphql.GetOperationContext(ctx).Variables[a.Value.Raw]
	return given
}

// selected returns what the selections below the context's root field require from its page.
func selected(ctx context.Context) (found page.Selected) {
	addSelected(&found, rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, true)
	return found
}

// addSelected adds what a selection set requires from a page, and the texts that it needs.
// page is false within a nested page, whose fields belong to that page.
func addSelected(found *page.Selected, set ast.SelectionSet, variables map[string]any, page bool) {
	fastql.EachField(set, variables, func(f *ast.Field) {
		switch {
		case !page:
		case f.Name == "totalItems":
			found.Total = true
		case f.Name == "cursor", f.Name == "hasNextPage":
			// An edge's cursor needs no read, but the extra one costs no round trip.
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

// texts maps the fields of TokenMetadata and Attribute to the texts that they need.
var texts = map[string]map[string]read.Texts{
	"TokenMetadata":      documentTexts(),
	"MetadataVersion":    {"cause": read.Cause, "uri": read.TextURI, "raw": read.TextRaw},
	"Attribute":          {"traitCount": read.TraitCounts, "displayType": read.TextDisplayTypes},
	"CollectionMetadata": {"raw": read.TextRaw},
}

// documentTexts maps the fields of TokenMetadata. Those of texts have the names of their columns,
// compared as gqlgen compares a field with a Go name.
func documentTexts() map[string]read.Texts {
	fields := map[string]read.Texts{"state": read.FetchState, "error": read.FetchState, "attempts": read.FetchState, "nextTry": read.FetchState}
	for _, column := range read.TextColumns {
		for _, field := range parsedSchema.Types["TokenMetadata"].Fields {
			if strings.EqualFold(field.Name, strings.ReplaceAll(column, "_", "")) {
				fields[field.Name] = read.TextOf(column)
			}
		}
	}
	return fields
}
