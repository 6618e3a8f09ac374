package plugin

import (
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

// coder writes the code of one field.
type coder struct {
	// before is code that runs when a selection is compiled. arguments is code that
	// runs before each call.
	before, arguments strings.Builder
}

// structValue reports whether values of a type are objects bound to a struct, not to
// a pointer. They are written through their address.
func structValue(ref *config.TypeReference) bool {
	return !ref.IsSlice() && ref.Definition.Kind == ast.Object && !ref.IsNilable()
}

// resultType returns the Go type of the value that is written for a field.
func resultType(f *codegen.Field) string {
	goType := templates.CurrentImports.LookupType(f.TypeReference.GO)
	if structValue(f.TypeReference) {
		return "*" + goType
	}
	return goType
}

// value returns an expression for the [fastql.Value] of a type.
func value(ref *config.TypeReference) string {
	if ref.IsSlice() {
		function := "List"
		if structValue(ref.Elem()) {
			function = "StructList"
		}
		return fmt.Sprintf("fastql.%s(%s, %t)", function, value(ref.Elem()), ref.GQL.NonNull)
	}
	switch name := ref.Definition.Name; ref.Definition.Kind {
	case ast.Object:
		return fmt.Sprintf("fastql.Object(compile%s(ec, c, f.Selections), %t)", name, ref.GQL.NonNull)
	case ast.Interface:
		return fmt.Sprintf("compile%s(ec, c, f.Selections, %t)", name, ref.GQL.NonNull)
	default:
		return fmt.Sprintf("fastql.Leaf(func(b []byte, v %s) []byte {\n%s\nreturn b\n})", templates.CurrentImports.LookupType(ref.GO), leaf(ref))
	}
}

// leafField returns the code that appends a scalar or enum field, or "" if reading the
// field may fail, or takes a resolver, arguments or a context.
func leafField(f *codegen.Field) string {
	ref := f.TypeReference
	if ref.IsSlice() || !ref.Definition.IsLeafType() || f.IsResolver || len(f.Args) > 0 || f.MethodHasContext || f.IsMethod() && !f.NoErr {
		return ""
	}
	get := "obj." + f.GoFieldName
	if f.IsMethod() {
		get += "()"
	}
	return fmt.Sprintf("v := %s\n%s", get, leaf(ref))
}
