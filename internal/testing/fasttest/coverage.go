package fasttest

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
)

// coverage holds the selected fields, as "Type.field".
type coverage map[string]bool

// add adds the fields of a document with one operation.
func (c coverage) add(document *Document) {
	fastql.AnySelection(document.Operations[0].SelectionSet, func(s ast.Selection, _ ast.DirectiveList) bool {
		if f, ok := s.(*ast.Field); ok {
			c[f.ObjectDefinition.Name+"."+f.Name] = true
		}
		return false
	})
}

// missing returns the object fields that a generator may select but never did.
func (c coverage) missing(g *Generator) (names []string) {
	for _, typ := range g.Schema.Types {
		if typ.Kind != ast.Object || typ == g.Schema.Subscription || strings.HasPrefix(typ.Name, "__") {
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
