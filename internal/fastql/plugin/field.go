package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
)

// rootField returns the code that makes the [fastql.RootField] of a field of
// the query type, or "" for a field that is left to gqlgen.
func (g generator) rootField(f *codegen.Field) string {
	code := &coder{generator: g}
	value, ok := code.value(f.TypeReference)
	call, bound := code.call(f)
	if !ok || !bound || !f.IsResolver {
		return ""
	}
	goType := templates.CurrentImports.LookupType(f.TypeReference.GO)
	return fmt.Sprintf("%sreturn fastql.Root(%s, func(ctx context.Context, variables map[string]any) (result %s, err error) {\n%s%s\n})",
		&code.before, value, goType, &code.arguments, call)
}

// field returns the code that makes the [fastql.FieldWriter] of an object's
// field, or "" for a field that is left to gqlgen.
func (g generator) field(f *codegen.Field) string {
	code := &coder{generator: g}
	call, bound := code.call(f)
	if !bound {
		return ""
	}
	object := templates.CurrentImports.LookupType(f.Object.Type)
	if written, ok := code.leafField(f); ok {
		return fmt.Sprintf("return fastql.FieldWriter[%s]{Append: func(b []byte, obj *%s) []byte {\n%s\nreturn b\n}}", object, object, written)
	}
	value, ok := code.fieldValue(f)
	if !ok {
		return ""
	}
	if f.Batch {
		goType := templates.CurrentImports.LookupType(f.TypeReference.GO)
		return fmt.Sprintf("%sreturn fastql.BatchField(%s, func(ctx context.Context, objs []*%s) (result []%s, err error) {\n%s%s\n})",
			&code.before, value, object, goType, &code.arguments, call)
	}
	return fmt.Sprintf("%sreturn fastql.Field(%s, func(ctx context.Context, obj *%s) (result %s, err error) {\n%s%s\n})",
		&code.before, value, object, resultType(f), &code.arguments, call)
}

// call returns the statement that returns the value of a field, and reports
// false for a field that is left to gqlgen.
func (c *coder) call(f *codegen.Field) (string, bool) {
	if f.IsReserved() || f.HasDirectives() || f.Stream || f.HasHaser || f.VOkFunc || f.GoFieldType == codegen.GoFieldMap ||
		codegen.GetInlineArgsMetadata(f.Object.Name, f.Name) != nil {
		return "", false
	}
	args, ok := c.readArguments(f)
	if !ok {
		return "", false
	}
	switch {
	case f.IsResolver:
		object := []string{"ctx"}
		if f.Batch {
			object = append(object, "objs")
		} else if !f.Object.Root {
			object = append(object, "obj")
		}
		// The resolver is created once for a plan, because creating it allocates.
		fmt.Fprintf(&c.before, "resolver := ec.Resolvers.%s()\n", templates.UcFirst(f.Object.Name))
		return fmt.Sprintf("return resolver.%s(%s)", f.GoFieldName, strings.Join(append(object, args...), ", ")), true
	case f.GoFieldType == codegen.GoFieldVariable && structValue(f.TypeReference):
		return fmt.Sprintf("return &obj.%s, nil", f.GoFieldName), true
	case f.GoFieldType == codegen.GoFieldVariable:
		return fmt.Sprintf("return obj.%s, nil", f.GoFieldName), true
	}
	if f.MethodHasContext {
		args = append([]string{"ctx"}, args...)
	}
	call := fmt.Sprintf("obj.%s(%s)", f.GoFieldName, strings.Join(args, ", "))
	switch {
	case structValue(f.TypeReference) && f.NoErr:
		return fmt.Sprintf("value := %s\nreturn &value, nil", call), true
	case structValue(f.TypeReference):
		return fmt.Sprintf("value, err := %s\nreturn &value, err", call), true
	case f.NoErr:
		return fmt.Sprintf("return %s, nil", call), true
	default:
		return "return " + call, true
	}
}

// readArguments writes the code that reads the arguments of a field with gqlgen's
// generated functions, and returns the names of the Go variables. It reports false
// for a field that is left to gqlgen.
func (c *coder) readArguments(f *codegen.Field) (names []string, ok bool) {
	if len(f.Args) > 0 {
		fmt.Fprintln(&c.before, "args := c.Arguments(f)")
	}
	for i, a := range f.Args {
		// A method may have the arguments in another order, or only some of them.
		defined := slices.Index(f.Arguments, a.ArgumentDefinition)
		if len(a.ImplDirectives()) > 0 {
			return nil, false
		}
		name := fmt.Sprintf("arg%d", i)
		fmt.Fprintf(&c.arguments, "var %s %s\nif v, ok := args[%d].Value(%s); ok {\nif %s, err = ec.%s(ctx, v); err != nil { return result, fastql.ErrUnwritten() }\n}\n",
			name, templates.CurrentImports.LookupType(a.TypeReference.GO), defined, c.variables(f), name, a.TypeReference.UnmarshalFunc())
		names = append(names, name)
	}
	return names, true
}

// variables returns the expression for the values of the operation's variables.
func (*coder) variables(f *codegen.Field) string {
	if f.Object.Root {
		return "variables"
	}
	return "graphql.GetOperationContext(ctx).Variables"
}
