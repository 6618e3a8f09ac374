package plugin

import (
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
)

// rootField returns the code that makes the [fastql.RootField] of a field of a root type.
func rootField(f *codegen.Field) string {
	code := &coder{}
	call := code.call(f)
	return fmt.Sprintf("%sreturn fastql.Root(%s, func(ctx context.Context, variables map[string]any) (result %s, err error) {\n%s%s\n})",
		&code.before, value(f.TypeReference), resultType(f), &code.arguments, call)
}

// field returns the code that makes the [fastql.FieldWriter] of an object's field.
func field(f *codegen.Field) string {
	object := templates.CurrentImports.LookupType(f.Object.Type)
	if written := leafField(f); written != "" {
		return fmt.Sprintf("return fastql.FieldWriter[%s]{Append: func(b []byte, obj *%s) []byte {\n%s\nreturn b\n}}", object, object, written)
	}
	code := &coder{}
	call, function, list := code.call(f), "Field", ""
	if f.Batch {
		function, list = "BatchField", "[]"
	}
	return fmt.Sprintf("%sreturn fastql.%s(%s, func(ctx context.Context, %s %s*%s) (result %s%s, err error) {\n%s%s\n})",
		&code.before, function, value(f.TypeReference), objects(f), list, object, list, resultType(f), &code.arguments, call)
}

// objects returns the name of the variable that holds the object or objects of a field.
func objects(f *codegen.Field) string {
	if f.Batch {
		return "objs"
	}
	return "obj"
}

// call returns the statement that returns the value of a field.
func (c *coder) call(f *codegen.Field) string {
	args := c.readArguments(f)
	if f.IsResolver {
		args = bundled(f, args)
		if !f.Object.Root {
			args = append([]string{objects(f)}, args...)
		}
		// The resolver is created once for a plan, because creating it allocates.
		fmt.Fprintf(&c.before, "resolver := ec.Resolvers.%s()\n", templates.UcFirst(f.Object.Name))
		value := fmt.Sprintf("resolver.%s(%s)", f.GoFieldName, strings.Join(append([]string{"ctx"}, args...), ", "))
		if f.Object.Stream {
			value = "fastql.First(" + value + ")"
		}
		return "return " + value
	}
	value, byAddress := "obj."+f.GoFieldName, structValue(f.TypeReference)
	if f.MethodHasContext {
		args = append([]string{"ctx"}, args...)
	}
	if f.IsMethod() {
		value += "(" + strings.Join(args, ", ") + ")"
	}
	switch {
	case byAddress && f.IsMethod():
		return fmt.Sprintf("value := %s\nreturn &value, nil", value)
	case byAddress:
		return fmt.Sprintf("return &%s, nil", value)
	case f.IsMethod() && !f.NoErr:
		return "return " + value
	default:
		return fmt.Sprintf("return %s, nil", value)
	}
}

// readArguments writes the code that reads the arguments of a field with gqlgen's
// generated functions, and returns the names of the Go variables.
func (c *coder) readArguments(f *codegen.Field) (names []string) {
	variables := "graphql.GetOperationContext(ctx).Variables"
	if f.Object.Root {
		variables = "variables"
	}
	if len(f.Args) > 0 {
		fmt.Fprintln(&c.before, "args := c.Arguments(f)")
	}
	for i, a := range f.Args {
		name := fmt.Sprintf("arg%d", i)
		fmt.Fprintf(&c.arguments, "var %s %s\nif v, ok := args[%d].Value(%s); ok {\nif %s, err = ec.%s(ctx, v); err != nil { return result, fastql.ErrUnwritten() }\n}\n",
			name, templates.CurrentImports.LookupType(a.TypeReference.GO), i, variables, name, a.TypeReference.UnmarshalFunc())
		names = append(names, name)
	}
	return names
}
