package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// generator writes random operations that are valid for a schema, with
// arguments that often are not.
type generator struct {
	*rand.Rand
	schema *ast.Schema
	// values are texts for arguments, by field.argument or by their type; those
	// in wrong are errors.
	values, wrong map[string][]string

	definitions, fragments []string
	variables              map[string]any
}

// operation returns a document and its variables.
func (g *generator) operation() (text string, variables map[string]any) {
	g.definitions, g.fragments, g.variables = nil, nil, map[string]any{}
	selections := g.roots()
	head := "query"
	if len(g.definitions) > 0 {
		head += "(" + strings.Join(g.definitions, ", ") + ")"
	}
	return head + " " + selections + "\n" + strings.Join(g.fragments, "\n"), g.variables
}

// chance is true n times of a hundred.
func (g *generator) chance(n int) bool { return g.IntN(100) < n }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// fieldsOf returns the fields of a type that the schema defines.
func fieldsOf(typ *ast.Definition) []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone(typ.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
}

// roots selects from Query; some fields twice, under one key.
func (g *generator) roots() string {
	var list []string
	for i := range 1 + g.IntN(1+g.IntN(4)) {
		field := pick(g, fieldsOf(g.schema.Query))
		key := fmt.Sprintf("r%d: %s%s%s", i, field.Name, g.arguments(field), g.directives())
		if i == 0 && g.chance(50) {
			key = key[len("r0: "):]
		}
		for range 1 + g.IntN(8)/7 {
			one := key + " " + g.selections(g.schema.Types[field.Type.Name()], 0)
			if g.chance(10) {
				one = g.fragment("Query", "{ "+one+" }")
			}
			list = append(list, one)
		}
		if g.chance(10) {
			list = append(list, "__typename"+g.directives())
		}
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// selections selects from a type; fields of one name under one key merge.
func (g *generator) selections(typ *ast.Definition, depth int) string {
	var list []string
	for range 1 + g.IntN(6) {
		switch {
		case g.chance(8):
			list = append(list, pick(g, []string{"__typename", "t: __typename"})+g.directives())
		case g.chance(15) && depth < 6:
			on := pick(g, append([]string{typ.Name}, typ.Interfaces...))
			list = append(list, g.fragment(on, g.selections(g.schema.Types[on], depth+1)))
		default:
			field := pick(g, fieldsOf(typ))
			text := field.Name
			if g.chance(25) {
				text = pick(g, []string{"a", "b", "_9"}) + "_" + field.Name + ": " + field.Name
			}
			text += g.directives()
			if of := g.schema.Types[field.Type.Name()]; len(of.Fields) > 0 {
				text += " " + g.selections(of, depth+1)
			}
			list = append(list, text)
		}
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// fragment selects from a type by a fragment, inline or with a name.
func (g *generator) fragment(on, selections string) string {
	switch g.IntN(3) {
	case 0:
		return "..." + g.directives() + " " + selections
	case 1:
		return "... on " + on + g.directives() + " " + selections
	default:
		name := fmt.Sprint("F", len(g.fragments))
		g.fragments = append(g.fragments, fmt.Sprintf("fragment %s on %s %s", name, on, selections))
		spread := "..." + name + g.directives()
		if g.chance(20) {
			spread += " ..." + name
		}
		return spread
	}
}

// directives are @skip and @include, mostly none.
func (g *generator) directives() (text string) {
	for _, name := range []string{"skip", "include"} {
		if !g.chance(8) {
			continue
		}
		value := pick(g, []string{"true", "false"})
		if g.chance(60) {
			value = g.variable("Boolean!", value == "true")
		}
		text += fmt.Sprintf(" @%s(if: %s)", name, value)
	}
	return text
}

// variable defines a variable and returns its name. Its value is at times
// absent, null, or the default.
func (g *generator) variable(typ string, value any) string {
	name := fmt.Sprint("$v", len(g.definitions))
	definition := name + ": " + typ
	switch {
	case typ == "Boolean!" && g.chance(20):
		definition = fmt.Sprintf("%s: Boolean = %v", name, value)
		if g.chance(20) {
			g.variables[name[1:]] = !value.(bool)
		}
	case !strings.HasSuffix(typ, "!") && g.chance(10):
		if g.chance(50) {
			g.variables[name[1:]] = nil
		}
	default:
		g.variables[name[1:]] = value
	}
	g.definitions = append(g.definitions, definition)
	return name
}

// filters are combinations of arguments that are accepted.
var filters = []string{"", "", "after", "before last", "block order", "address", "address fromBlock order", "address tokenId toBlock",
	"transactionHash", "transactionHash address", "account order", "account address", "fromBlock", "fromBlock toBlock"}

// arguments gives a field some of its arguments, mostly such that fit.
func (g *generator) arguments(field *ast.FieldDefinition) string {
	fitting, any := strings.Fields(pick(g, filters)), g.chance(10)
	var list []string
	for _, a := range field.Arguments {
		if a.Type.NonNull || any && g.chance(20) || !any && slices.Contains(fitting, a.Name) || a.Name == "first" && !slices.Contains(fitting, "last") && g.chance(40) {
			list = append(list, a.Name+": "+g.value(field.Name, a.Name, a.Type))
		}
	}
	if len(list) == 0 {
		return ""
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return "(" + strings.Join(list, ", ") + ")"
}

// value returns a literal or a variable of a type.
func (g *generator) value(field, argument string, typ *ast.Type) string {
	if typ.Elem != nil {
		return "[" + g.value(field, argument, typ.Elem) + ", " + g.value(field, argument, typ.Elem) + "]"
	}
	texts := g.values[field+"."+argument]
	if texts == nil {
		texts = g.values[typ.NamedType]
	}
	if wrong := g.wrong[typ.NamedType]; wrong != nil && g.chance(4) {
		texts = wrong
	}
	text := pick(g, texts)
	switch {
	case g.chance(3) && !typ.NonNull:
		return "null"
	case g.chance(50):
		if text[0] == '"' {
			return text
		}
		return strings.Trim(text, "`")
	case text[0] == '"' || text[0] == '`':
		return g.variable(typ.String(), text[1:len(text)-1])
	default:
		return g.variable(typ.String(), json.Number(text))
	}
}
