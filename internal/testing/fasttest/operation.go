package fasttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Generator writes random queries for a schema. Most of them are valid. The rest
// break only rules about the whole document, for example that fields with one
// response key must merge.
type Generator struct {
	*rand.Rand
	Schema *ast.Schema
	// Values are texts for arguments, by "field.argument", by "Input.field" or by
	// type: JSON, or an enum value or another bare word between backticks. The
	// texts in Wrong, by type, cause errors.
	Values, Wrong map[string][]string
	// Combinations are names of optional arguments that go together, separated by spaces.
	Combinations []string
	// Depth is the depth below which only leaves are selected.
	Depth int

	definitions, fragments []string
	variables              map[string]any
	keys                   int
}

// Operation returns a random document with one query, and its variables.
func (g *Generator) Operation() (text string, variables map[string]any) {
	g.definitions, g.fragments, g.variables, g.keys = nil, nil, map[string]any{}, 0
	selections := g.roots()
	head := "query"
	if len(g.definitions) > 0 {
		head += "(" + strings.Join(g.definitions, ", ") + ")"
	}
	return head + " " + selections + "\n" + strings.Join(g.fragments, "\n"), g.variables
}

// Chance returns true with a probability of n percent.
func (g *Generator) Chance(n int) bool { return g.IntN(100) < n }

func pick[T any](g *Generator, list []T) T { return list[g.IntN(len(list))] }

// fields returns the fields of a type that may be selected.
func (g *Generator) fields(typ *ast.Definition) []*ast.FieldDefinition {
	return slices.DeleteFunc(slices.Clone(typ.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__")
	})
}

// roots returns a selection set on Query, with some fields twice under one key.
func (g *Generator) roots() string {
	var list []string
	for i := range 1 + g.IntN(1+g.IntN(4)) {
		field := pick(g, g.fields(g.Schema.Query))
		key := fmt.Sprintf("r%d: %s%s%s", i, field.Name, g.arguments(field), g.directives())
		if i == 0 && g.Chance(50) {
			key = key[len("r0: "):]
		}
		for range 1 + g.IntN(8)/7 {
			one := key + g.below(field, 0)
			if g.Chance(10) {
				one = g.fragment("Query", "{ "+one+" }")
			}
			list = append(list, one)
		}
		if g.Chance(10) {
			list = append(list, "__typename"+g.directives())
		}
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// below returns a selection set on the type of a field, or "" for a leaf.
func (g *Generator) below(field *ast.FieldDefinition, depth int) string {
	typ := g.Schema.Types[field.Type.Name()]
	if !typ.IsCompositeType() {
		return ""
	}
	return " " + g.selections(typ, depth)
}

// selections returns a selection set on a type. Fields of the same name and key merge.
func (g *Generator) selections(typ *ast.Definition, depth int) string {
	fields := g.fields(typ)
	if depth > g.Depth {
		fields = slices.DeleteFunc(fields, func(f *ast.FieldDefinition) bool { return g.Schema.Types[f.Type.Name()].IsCompositeType() })
	}
	var list []string
	for range 1 + g.IntN(max(1, 6-depth/2)) {
		switch {
		case len(fields) == 0 && depth > g.Depth, g.Chance(8):
			list = append(list, pick(g, []string{"__typename", "t: __typename"})+g.directives())
		case len(fields) == 0, g.Chance(15) && depth < g.Depth:
			on := pick(g, g.conditions(typ))
			list = append(list, g.fragment(on, g.selections(g.Schema.Types[on], depth+1)))
		default:
			list = append(list, g.field(pick(g, fields), depth))
		}
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// conditions returns the type conditions that a fragment on a type may have.
func (g *Generator) conditions(typ *ast.Definition) []string {
	names := append([]string{typ.Name}, typ.Interfaces...)
	if typ.IsAbstractType() {
		for _, possible := range g.Schema.GetPossibleTypes(typ) {
			if possible.Name != typ.Name {
				names = append(names, possible.Name)
			}
		}
	}
	return names
}

// field returns the selection of a field, sometimes twice. A field with arguments has
// a unique key, because it would not merge with others.
func (g *Generator) field(field *ast.FieldDefinition, depth int) string {
	text := field.Name
	arguments := g.arguments(field)
	switch {
	case arguments != "":
		g.keys++
		text = fmt.Sprintf("k%d_%s: %s%s", g.keys, field.Name, field.Name, arguments)
	case g.Chance(25):
		text = pick(g, []string{"a", "b", "_9"}) + "_" + field.Name + ": " + field.Name
	}
	text += g.directives()
	again := g.Chance(8)
	selected := text + g.below(field, depth+1)
	if again {
		selected += " " + text + g.below(field, depth+1)
	}
	return selected
}

// fragment returns selections on a type in a fragment, inline or named.
func (g *Generator) fragment(on, selections string) string {
	switch g.IntN(3) {
	case 0:
		return "... on " + on + g.directives() + " " + selections
	case 1:
		return "..." + g.directives() + " { ... on " + on + " " + selections + " }"
	default:
		name := fmt.Sprint("F", len(g.fragments))
		g.fragments = append(g.fragments, fmt.Sprintf("fragment %s on %s %s", name, on, selections))
		spread := "..." + name + g.directives()
		if g.Chance(20) {
			spread += " ..." + name
		}
		return spread
	}
}

// directives returns @skip and @include at random, mostly neither.
func (g *Generator) directives() (text string) {
	for _, name := range []string{"skip", "include"} {
		if !g.Chance(8) {
			continue
		}
		value := pick(g, []string{"true", "false"})
		if g.Chance(60) {
			value = g.variable("Boolean!", value == "true")
		}
		text += fmt.Sprintf(" @%s(if: %s)", name, value)
	}
	return text
}
