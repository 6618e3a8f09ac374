package fasttest

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// coverage has the fields that were selected, as "Type.field".
type coverage map[string]bool

// add adds the fields of a document.
func (c coverage) add(document *ast.QueryDocument) {
	for _, o := range document.Operations {
		c.addAll(o.SelectionSet)
	}
	for _, f := range document.Fragments {
		c.addAll(f.SelectionSet)
	}
}

func (c coverage) addAll(selections ast.SelectionSet) {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.Field:
			c[s.ObjectDefinition.Name+"."+s.Name] = true
			c.addAll(s.SelectionSet)
		case *ast.InlineFragment:
			c.addAll(s.SelectionSet)
		}
	}
}

// missing returns the fields of objects that a generator may select, and that
// were not selected.
func (c coverage) missing(g *Generator) (names []string) {
	for _, typ := range g.Schema.Types {
		if typ.Kind != ast.Object || typ == g.Schema.Mutation || strings.HasPrefix(typ.Name, "__") {
			continue
		}
		for _, f := range g.fields(typ) {
			if name := typ.Name + "." + f.Name; !c[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
