package plugin

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

// coder writes the code of one field.
type coder struct {
	generator
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

// fieldValue returns an expression for the [fastql.Value] of a field, and reports
// false for a field that is left to gqlgen.
func (c *coder) fieldValue(f *codegen.Field) (string, bool) {
	if structValue(f.TypeReference) {
		if f.Batch || f.IsResolver {
			return "", false
		}
		return c.object(f.TypeReference)
	}
	return c.value(f.TypeReference)
}

// value returns an expression for the [fastql.Value] of a type, and reports
// false for a type that is left to gqlgen.
func (c *coder) value(ref *config.TypeReference) (string, bool) {
	if ref.IsOmittable || ref.HasEnumValues() || ref.IsPtrToPtr() || ref.IsPtrToSlice() || ref.IsPtrToIntf() || ref.IsMap() || ref.GQL.Elem != nil && !ref.IsSlice() {
		return "", false
	}
	if ref.IsSlice() {
		function, item, ok := "List", "", false
		if elem := ref.Elem(); structValue(elem) {
			function = "StructList"
			item, ok = c.object(elem)
		} else {
			item, ok = c.value(elem)
		}
		return fmt.Sprintf("fastql.%s(%s, %t)", function, item, ref.GQL.NonNull), ok
	}
	switch ref.Definition.Kind {
	case ast.Object:
		if structValue(ref) {
			return "", false
		}
		return c.object(ref)
	case ast.Interface, ast.Union:
		compilable := types.IsInterface(ref.GO) && c.objects(c.Interfaces[ref.Definition.Name]) != nil
		return fmt.Sprintf("compile%s(ec, c, f.Selections, %t)", ref.Definition.Name, ref.GQL.NonNull), compilable
	default:
		goType := templates.CurrentImports.LookupType(ref.GO)
		written, ok := leaf(ref, "v")
		return fmt.Sprintf("fastql.Leaf(func(ctx context.Context, b []byte, v %s) (_ []byte, err error) {\n%s\nreturn b, err\n})", goType, written.code), ok
	}
}

// object returns an expression for the [fastql.Value] of an object type, and reports
// false for a type that is left to gqlgen.
func (c *coder) object(ref *config.TypeReference) (string, bool) {
	name := ref.Definition.Name
	return fmt.Sprintf("fastql.Object(compile%s(ec, c, f.Selections), %t)", name, ref.GQL.NonNull), c.compiled(c.Objects.ByName(name))
}

// leafField returns the code that appends a scalar or enum field, and reports false
// if reading or writing the field may fail, or if it takes a resolver, arguments or a
// context.
func (*coder) leafField(f *codegen.Field) (string, bool) {
	ref := f.TypeReference
	if ref.IsSlice() || ref.GQL.Elem != nil || ref.Definition.Kind != ast.Scalar && ref.Definition.Kind != ast.Enum ||
		f.IsResolver || len(f.Args) > 0 || f.MethodHasContext || f.GoFieldType == codegen.GoFieldMethod && !f.NoErr {
		return "", false
	}
	get := "obj." + f.GoFieldName
	if f.GoFieldType == codegen.GoFieldMethod {
		get += "()"
	}
	written, ok := leaf(ref, "v")
	return fmt.Sprintf("v := %s\n%s", get, written.code), ok && !written.fails
}
