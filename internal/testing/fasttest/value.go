package fasttest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// arguments returns some arguments of a field, mostly ones that go together.
func (g *Generator) arguments(field *ast.FieldDefinition) string {
	fitting, byChance := strings.Fields(pick(g, g.Combinations)), g.Chance(10)
	var list []string
	for _, a := range field.Arguments {
		if required(a.Type, a.DefaultValue) || byChance && g.Chance(35) || !byChance && slices.Contains(fitting, a.Name) {
			list = append(list, a.Name+": "+g.value(field.Name+"."+a.Name, a.Type))
		}
	}
	if len(list) == 0 {
		return ""
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return "(" + strings.Join(list, ", ") + ")"
}

func required(typ *ast.Type, value *ast.Value) bool { return typ.NonNull && value == nil }

// value returns a literal, which may have variables in it, or a variable.
func (g *Generator) value(at string, typ *ast.Type) string {
	definition := g.Schema.Types[typ.Name()]
	switch {
	case !typ.NonNull && g.Chance(3):
		return "null"
	case g.Chance(40):
		return g.variable(typ.String(), g.constant(at, typ))
	case typ.Elem != nil && g.Chance(90):
		list := make([]string, g.IntN(4))
		for i := range list {
			list[i] = g.value(at, typ.Elem)
		}
		return "[" + strings.Join(list, ", ") + "]"
	case typ.Elem != nil:
		// A single value is coerced to a list.
		return g.value(at, typ.Elem)
	case definition.Kind == ast.InputObject && g.values(at, typ) == nil:
		var list []string
		for _, f := range definition.Fields {
			if required(f.Type, f.DefaultValue) || g.Chance(35) {
				list = append(list, f.Name+": "+g.value(definition.Name+"."+f.Name, f.Type))
			}
		}
		return "{" + strings.Join(list, ", ") + "}"
	default:
		text := pick(g, g.values(at, typ))
		return strings.Trim(text, "`")
	}
}

// constant returns a value for a variable.
func (g *Generator) constant(at string, typ *ast.Type) any {
	definition := g.Schema.Types[typ.Name()]
	switch {
	case typ.Elem != nil:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.constant(at, typ.Elem)
		}
		return list
	case definition.Kind == ast.InputObject && g.values(at, typ) == nil:
		object := map[string]any{}
		for _, f := range definition.Fields {
			if required(f.Type, f.DefaultValue) || g.Chance(35) {
				object[f.Name] = g.constant(definition.Name+"."+f.Name, f.Type)
			}
		}
		return object
	}
	text := pick(g, g.values(at, typ))
	if text[0] == '`' || text[0] == '"' {
		return text[1 : len(text)-1]
	}
	var v any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		panic(fmt.Sprintf("%s: %s is not JSON: %v", at, text, err))
	}
	return v
}

// values returns the texts for an argument.
func (g *Generator) values(at string, typ *ast.Type) []string {
	if wrong := g.Wrong[typ.Name()]; wrong != nil && g.Chance(4) {
		return wrong
	}
	if texts := g.Values[at]; texts != nil {
		return texts
	}
	if texts := g.Values[typ.Name()]; texts != nil {
		return texts
	}
	switch definition := g.Schema.Types[typ.Name()]; {
	case definition.Kind == ast.Enum:
		var names []string
		for _, v := range definition.EnumValues {
			names = append(names, "`"+v.Name+"`")
		}
		return names
	case definition.Kind == ast.InputObject:
		return nil
	case typ.Name() == "Boolean":
		return []string{"true", "false"}
	default:
		panic(fmt.Sprintf("no values for %s, of type %s", at, typ))
	}
}

// variable defines a variable and returns its name. Sometimes its value is absent,
// null, or the default.
func (g *Generator) variable(typ string, value any) string {
	name := fmt.Sprint("$v", len(g.definitions))
	definition := name + ": " + typ
	switch {
	case typ == "Boolean!" && g.Chance(20):
		definition = fmt.Sprintf("%s: Boolean = %v", name, value)
		if g.Chance(20) {
			g.variables[name[1:]] = !value.(bool)
		}
	case !strings.HasSuffix(typ, "!") && g.Chance(15):
		if g.Chance(50) {
			g.variables[name[1:]] = nil
		}
	default:
		g.variables[name[1:]] = value
	}
	g.definitions = append(g.definitions, definition)
	return name
}
