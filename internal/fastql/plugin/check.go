package plugin

import (
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

// check returns an error with one line for each binding that plans do not support: the
// type or field, what it is, and what is accepted.
func (g generator) check() error {
	var wrong []error
	report := func(at, problem string) {
		if problem != "" {
			wrong = append(wrong, fmt.Errorf("%s %s", at, problem))
		}
	}
	if g.MutationRoot != nil {
		report("the schema", "has mutations: want queries and subscriptions")
	}
	if g.Config.AutobindGetterHaser {
		report("gqlgen.yml", "has autobind_getter_haser: want it off")
	}
	directives := g.Directives()
	for _, name := range slices.Sorted(maps.Keys(directives)) {
		if !directives[name].SkipRuntime {
			report("@"+name, "has an implementation: want skip_runtime, or no directive")
		}
	}
	for _, o := range g.Objects {
		switch {
		case o.IsReserved():
		case !o.Root && config.IsNilable(o.Type):
			report(o.Name, fmt.Sprintf("is bound to %s: want a struct", o.Type))
		default:
			for _, f := range o.Fields {
				if !f.IsReserved() {
					report(o.Name+"."+f.Name, fieldProblem(f))
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.Interfaces)) {
		if g.Interfaces[name].Kind == ast.Union {
			report(name, "is a union: want an interface")
		}
	}
	scalars := g.scalars()
	for _, name := range slices.Sorted(maps.Keys(scalars)) {
		if scalars[name].IsContext {
			report(name, "is read with a context: want UnmarshalGQL, or a function UnmarshalX without one")
		}
	}
	return errors.Join(wrong...)
}

// fieldProblem returns why plans do not support a field, or "".
func fieldProblem(f *codegen.Field) string {
	for i, a := range f.Args {
		if a.ArgumentDefinition != f.Arguments[i] {
			return "has a method with parameters in another order: want that of the arguments"
		}
	}
	switch value := structValue(f.TypeReference); {
	case f.Object.Root && !f.Object.Stream && f.TypeReference.GQL.NonNull:
		return "forbids null: want a nullable type, so that the other fields keep their data if it fails"
	case f.IsResolver && !f.Object.Root && !f.Batch:
		return "has a resolver for one object: want batch: true, or a field or a method of the Go type"
	case f.VOkFunc:
		return "has a method that returns a value and a bool: want a value, or a value and an error"
	case value && (f.IsResolver || f.IsMethod() && !f.NoErr):
		return fmt.Sprintf("returns %s and an error: want a pointer", f.TypeReference.GO)
	default:
		return typeProblem(f.TypeReference)
	}
}

// typeProblem returns why plans do not support the values of a type, or "".
func typeProblem(ref *config.TypeReference) string {
	bound := fmt.Sprintf("is bound to %s: ", ref.GO)
	switch {
	case ref.IsSlice() && ref.GQL.Elem.Elem != nil:
		return "is a list of lists: want a list"
	case ref.IsSlice():
		return typeProblem(ref.Elem())
	case ref.IsRoot:
		return "returns the query type: want another type"
	case !ref.Definition.IsLeafType():
		return ""
	case ref.GQL.NonNull && ref.IsNilable():
		return bound + "want a value, because the schema forbids null"
	case ref.HasEnumValues() || appendCall(ref, "v", (*types.Func).Name) == "":
		return bound + "want String, ID, Boolean, Uint64 or Int64 of gqlgen, a type with the method AppendGQL(b []byte) []byte, or MarshalX with AppendX(b []byte, v T) []byte"
	default:
		return ""
	}
}
