package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

// Bundle is a Go struct that resolvers receive in place of the arguments that it has a field for.
type Bundle struct {
	// Struct is the import path and the name of the type.
	Struct string
	// Fields are the GraphQL fields, as Type.field.
	Fields []string
	// Besides are the names of the arguments that stay parameters.
	Besides []string
}

// bundle makes gqlgen bundle arguments. gqlgen does so for the fields of an input object that
// @inlineArguments replaces by arguments, but then clients see both in the schema. So the input
// objects are in a schema of their own.
func (p Plugin) bundle(schema *ast.Schema) error {
	own := &ast.Schema{Types: map[string]*ast.Definition{}}
	for i, bundle := range p.Bundles {
		for _, at := range bundle.Fields {
			name, field, _ := strings.Cut(at, ".")
			of := schema.Types[name]
			if of == nil || of.Fields.ForName(field) == nil {
				return fmt.Errorf("a bundle has the field %s, which is not in the schema", at)
			}
			input := &ast.Definition{Kind: ast.InputObject, Directives: directive("goModel", "model", bundle.Struct)}
			for _, a := range of.Fields.ForName(field).Arguments {
				if !slices.Contains(bundle.Besides, a.Name) {
					input.Fields = append(input.Fields, &ast.FieldDefinition{Name: a.Name, Type: a.Type})
				}
			}
			inputName := fmt.Sprint("Bundle", i, at)
			own.Types[inputName] = input
			if own.Types[name] == nil {
				own.Types[name] = &ast.Definition{Kind: ast.Object, Name: name}
			}
			argument := &ast.ArgumentDefinition{Name: "filter", Type: ast.NamedType(inputName, nil), Directives: directive("inlineArguments", "", "")}
			own.Types[name].Fields = append(own.Types[name].Fields, &ast.FieldDefinition{Name: field, Arguments: ast.ArgumentDefinitionList{argument}})
		}
	}
	return codegen.ExpandInlineArguments(own)
}

func directive(name, argument, value string) ast.DirectiveList {
	return ast.DirectiveList{{Name: name, Arguments: ast.ArgumentList{{Name: argument, Value: &ast.Value{Kind: ast.StringValue, Raw: value}}}}}
}

// bundled returns the parameters of a resolver from the variables with its arguments' values.
func bundled(f *codegen.Field, variables []string) (parameters []string) {
	info := codegen.GetInlineArgsMetadata(f.Object.Name, f.Name)
	if info == nil {
		return variables
	}
	var fields []string
	for i, a := range f.Args {
		if slices.Contains(info.ExpandedArgs, a.Name) {
			fields = append(fields, templates.ToGo(a.Name)+": "+variables[i])
		} else {
			parameters = append(parameters, variables[i])
		}
	}
	dot := strings.LastIndex(info.GoType, ".")
	text := fmt.Sprintf("%s%s{%s}", templates.CurrentImports.Lookup(info.GoType[:dot]), info.GoType[dot:], strings.Join(fields, ", "))
	return slices.Insert(parameters, 0, text)
}
