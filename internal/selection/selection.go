package selection

import "github.com/vektah/gqlparser/v2/ast"

// Fields calls visit with the fields of a selection set and of its fragments, in
// their order, except those that @skip or @include leave out with these values of
// the variables.
func Fields(set ast.SelectionSet, variables map[string]any, visit func(*ast.Field)) {
	for _, s := range set {
		below, directives := parts(s)
		if skipped(directives, variables) {
			continue
		}
		if field, ok := s.(*ast.Field); ok {
			visit(field)
		} else {
			Fields(below, variables, visit)
		}
	}
}

// Any reports whether test is true for any selection at any depth, with its
// directives.
func Any(set ast.SelectionSet, test func(ast.Selection, ast.DirectiveList) bool) bool {
	for _, s := range set {
		below, directives := parts(s)
		if test(s, directives) || Any(below, test) {
			return true
		}
	}
	return false
}

// parts returns what a selection selects below it, and its directives.
func parts(s ast.Selection) (ast.SelectionSet, ast.DirectiveList) {
	switch s := s.(type) {
	case *ast.Field:
		return s.SelectionSet, s.Directives
	case *ast.InlineFragment:
		return s.SelectionSet, s.Directives
	case *ast.FragmentSpread:
		return s.Definition.SelectionSet, s.Directives
	default:
		return nil, nil
	}
}

// skipped reports whether @skip or @include leaves a selection out.
func skipped(directives ast.DirectiveList, variables map[string]any) bool {
	for _, d := range directives {
		if d.Name == "skip" || d.Name == "include" {
			if argument := d.Arguments.ForName("if"); argument != nil {
				// Its only error is a number out of range, which is no Boolean.
				if value, _ := argument.Value.Value(variables); value == (d.Name == "skip") {
					return true
				}
			}
		}
	}
	return false
}
