package queries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/failure"
)

// Coerce returns the values of an operation's variables. A value of the wrong type is a
// request error. Specification: GraphQL, section 6.1.2.
func (r *reader) Coerce(ctx context.Context, operation *ast.OperationDefinition, given map[string]any) (map[string]any, *failure.Error) {
	for _, v := range operation.VariableDefinitions {
		value, ok := given[v.Variable]
		if !ok && v.DefaultValue != nil {
			// Validation has already parsed it.
			value, _ = v.DefaultValue.Value(nil)
		}
		if path, wrong := r.checkScalars(ctx, v.Type, value); wrong != "" {
			return nil, failure.New(apierror.BadUserInput, "$%s%s: %s", v.Variable, path, wrong).At(v.Position)
		}
	}
	values, err := validator.VariableValues(r.schema, operation, given)
	if err == nil {
		return values, checkNulls(operation, values)
	}
	var at *gqlerror.Error
	if !errors.As(err, &at) || len(at.Path) < 2 {
		return nil, failure.InDocument(apierror.BadUserInput, gqlerror.List{gqlerror.Wrap(err)})
	}
	// The path begins with the word "variable", so it is not a response path.
	name, _ := at.Path[1].(ast.PathName)
	v := operation.VariableDefinitions.ForName(string(name))
	// The library's message names Go types, and may round the value.
	got := "a value of another type"
	switch {
	case at.Message == "must be defined":
		got = "no value"
	case at.Message == "cannot be null":
		got = "null"
	case len(at.Path) == 2:
		got = evm.Describe(given[v.Variable])
	}
	return nil, failure.New(apierror.BadUserInput, "$%s: got %s, want %s", at.Path[1:], got, typeAt(v.Type, len(at.Path)-2)).At(v.Position)
}

// typeAt returns the element type at a depth of nested lists.
func typeAt(typ *ast.Type, lists int) *ast.Type {
	for ; lists > 0 && typ.Elem != nil; lists-- {
		typ = typ.Elem
	}
	return typ
}

// checkNulls returns an error if a null variable is used where null is not allowed. Validation
// accepts such a use if the variable has a default, but an explicit null overrides the
// default. Specification: GraphQL, section 6.4.1, CoerceArgumentValues.
func checkNulls(operation *ast.OperationDefinition, values map[string]any) (failed *failure.Error) {
	for _, value := range values {
		if value == nil {
			return findNull(operation.SelectionSet, values)
		}
	}
	return nil
}

func findNull(set ast.SelectionSet, values map[string]any) (failed *failure.Error) {
	inArguments := func(list ast.ArgumentList) bool {
		return slices.ContainsFunc(list, func(a *ast.Argument) bool {
			failed = checkNull(a.Value, values)
			return failed != nil
		})
	}
	fastql.AnySelection(set, func(s ast.Selection, directives ast.DirectiveList) bool {
		field, ok := s.(*ast.Field)
		return ok && inArguments(field.Arguments) ||
			slices.ContainsFunc(directives, func(d *ast.Directive) bool { return inArguments(d.Arguments) })
	})
	return failed
}

// checkNull returns an error if an argument contains a null variable where null is not
// allowed.
func checkNull(v *ast.Value, values map[string]any) *failure.Error {
	for _, child := range v.Children {
		if failed := checkNull(child.Value, values); failed != nil {
			return failed
		}
	}
	// Validation has set the expected type.
	if v.Kind != ast.Variable || v.ExpectedType == nil || !v.ExpectedType.NonNull {
		return nil
	}
	if value, given := values[v.Raw]; !given || value != nil {
		return nil
	}
	return failure.New(apierror.BadUserInput, "$%s: got null, want %s where it is used", v.Raw, v.ExpectedType).At(v.Position)
}

// checkScalars returns why a scalar within a variable's value is invalid, and the path to it.
// Both are empty if all scalars are valid. Other errors are left to the validator.
func (r *reader) checkScalars(ctx context.Context, typ *ast.Type, value any) (path, wrong string) {
	if value == nil {
		return "", ""
	}
	if typ.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			// Specification: GraphQL, section 3.12, "Input Coercion".
			return r.checkScalars(ctx, typ.Elem, value)
		}
		for i, item := range list {
			if path, wrong = r.checkScalars(ctx, typ.Elem, item); wrong != "" {
				return fmt.Sprintf("[%d]%s", i, path), wrong
			}
		}
		return "", ""
	}
	if _, number := value.(json.Number); number && typ.NamedType == "String" {
		// To the library, a number is its text.
		return "", fmt.Sprintf("got %s, want %s", evm.Describe(value), typ)
	}
	if read := r.scalars[typ.NamedType]; read != nil {
		if err := read(ctx, value); err != nil {
			return "", messageOf(err)
		}
		return "", ""
	}
	object, _ := value.(map[string]any)
	if definition := r.schema.Types[typ.NamedType]; definition != nil && definition.Kind == ast.InputObject {
		for _, f := range definition.Fields {
			if path, wrong = r.checkScalars(ctx, f.Type, object[f.Name]); wrong != "" {
				return "." + f.Name + path, wrong
			}
		}
	}
	return "", ""
}

// messageOf returns the message of an error without its path.
func messageOf(err error) string {
	var at *gqlerror.Error
	if errors.As(err, &at) {
		return at.Message
	}
	return err.Error()
}
