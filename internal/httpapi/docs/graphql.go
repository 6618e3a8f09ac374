package docs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/cost"
)

// mostItems is the default of --max-page-size.
const mostItems = 1000

// described writes the reference of a schema, as a document.
type described struct {
	strings.Builder
	schema   *ast.Schema
	prices   cost.Prices
	examples []example
	// below has the types on the page of another type.
	below map[string][]*ast.Definition
}

// example is an operation of a document that is valid without variables, and what it costs. uses has
// the types and fields that it selects.
type example struct {
	text string
	cost int
	uses map[string]bool
}

// describe returns the reference of a schema. Its examples are operations of documents, which tests
// run.
func describe(schema string, documents []*page) ([]byte, error) {
	parsed, err := gqlparser.LoadSchema(&ast.Source{Name: schemaFile, Input: schema})
	if err != nil {
		return nil, err
	}
	d := &described{schema: parsed, prices: cost.NewPrices(parsed), below: map[string][]*ast.Definition{}}
	for _, p := range documents {
		for _, found := range operations.FindAllSubmatch(p.text, -1) {
			if string(found[2]) != "errors" {
				d.addExample(string(found[1]))
			}
		}
	}
	fmt.Fprintf(d, "# %s\n\nEvery query, type and argument of [%s](../%[2]s), with its price. %s\n\n[The API](api.md) explains how they work together, [limits](limits.md#cost) what prices are for.\n", "GraphQL reference", schemaFile, parsed.Description)
	for _, root := range []*ast.Definition{parsed.Query, parsed.Subscription} {
		for _, f := range root.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				d.root(root, f)
			}
		}
	}
	types := d.types()
	d.place(types[ast.Object])
	for _, t := range types[ast.Object] {
		if !isList(t) && d.owner(t) == t.Name {
			d.object("## Type: "+t.Name, t)
			for _, other := range d.below[t.Name] {
				d.object("### "+other.Name, other)
			}
		}
	}
	d.WriteString("\n## Lists\n\nEach list is a Relay connection and an envelope of plain fields. [Paging](api.md#paging) explains both.\n")
	for _, t := range types[ast.Object] {
		if isList(t) {
			d.object("### "+t.Name, t)
		}
	}
	for _, kind := range []struct {
		title string
		of    ast.DefinitionKind
	}{{"Interfaces", ast.Interface}, {"Inputs", ast.InputObject}, {"Enums", ast.Enum}, {"Scalars", ast.Scalar}} {
		fmt.Fprintf(d, "\n## %s\n", kind.title)
		for _, t := range types[kind.of] {
			d.object("### "+t.Name, t)
		}
	}
	return []byte(d.String()), nil
}

// operations are the operations in Markdown, each with what follows up to the first member of its answer.
var operations = regexp.MustCompile("(?ms)^```graphql\n(.*?)^```$(?:\n\n```json\n\\{\\s*\"(\\w+)\")?")

func (d *described) addExample(text string) {
	document, errs := gqlparser.LoadQueryWithRules(d.schema, text, rules.NewDefaultRules())
	if errs != nil || len(document.Operations) != 1 || len(document.Operations[0].VariableDefinitions) > 0 {
		return
	}
	e := example{text: text, uses: map[string]bool{}}
	e.cost, _, _ = d.prices.Cost(document.Operations[0], nil, mostItems)
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				e.uses[s.ObjectDefinition.Name], e.uses[s.ObjectDefinition.Name+"."+s.Name] = true, true
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				walk(s.SelectionSet)
			}
		}
	}
	walk(document.Operations[0].SelectionSet)
	d.examples = append(d.examples, e)
}

// example writes the first example of a type or field.
func (d *described) example(of string) {
	for _, e := range d.examples {
		if e.uses[of] {
			fmt.Fprintf(d, "\nAn example, which costs %d:\n\n```graphql\n%s```\n", e.cost, e.text)
			return
		}
	}
}

// types returns the schema's own types by kind, in its order.
func (d *described) types() map[ast.DefinitionKind][]*ast.Definition {
	all := map[ast.DefinitionKind][]*ast.Definition{}
	for _, t := range d.schema.Types {
		if !t.BuiltIn && t != d.schema.Query && t != d.schema.Subscription {
			all[t.Kind] = append(all[t.Kind], t)
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b *ast.Definition) int { return cmp.Compare(a.Position.Start, b.Position.Start) })
	}
	return all
}

// isList reports whether a type is a part of a page.
func isList(t *ast.Definition) bool {
	return strings.HasSuffix(t.Name, "Connection") || strings.HasSuffix(t.Name, "Edge") || t.Name == "PageInfo" || t.Name == "Bucket"
}

// owner returns the type on whose page a type is: its own if it is a node or a field of Query returns
// it.
func (d *described) owner(t *ast.Definition) string {
	for owner, list := range d.below {
		if slices.Contains(list, t) {
			return owner
		}
	}
	if slices.Contains(t.Interfaces, "Node") || slices.ContainsFunc(d.schema.Query.Fields, func(f *ast.FieldDefinition) bool { return f.Type.Name() == t.Name }) {
		return t.Name
	}
	return ""
}

// place puts each other type on the page of the first type that refers to it.
func (d *described) place(types []*ast.Definition) {
	var from func(owner string, t *ast.Definition)
	from = func(owner string, t *ast.Definition) {
		for _, f := range t.Fields {
			to := d.schema.Types[f.Type.Name()]
			for _, to := range append(slices.Clone(d.schema.PossibleTypes[to.Name]), to) {
				if isList(to) && to.Name != "PageInfo" {
					from(owner, to)
				} else if to.Kind == ast.Object && d.owner(to) == "" {
					d.below[owner] = append(d.below[owner], to)
					from(owner, to)
				}
			}
		}
	}
	for _, t := range types {
		if d.owner(t) == t.Name {
			from(t.Name, t)
		}
	}
}

// root writes the page of a field of a root type.
func (d *described) root(root *ast.Definition, f *ast.FieldDefinition) {
	fmt.Fprintf(d, "\n## %s: %s\n\n%s\n\nReturns %s, and costs %s.\n", root.Name, f.Name, f.Description, d.link(f.Type), d.prices.Words(f))
	d.example(root.Name + "." + f.Name)
	d.arguments(f)
	fmt.Fprintf(d, "\n[Errors](api.md#errors) of this field: %s. Every operation can also end with `QUERY_TOO_COSTLY`, `RATE_LIMITED`, `TIMEOUT`, `UNAVAILABLE` or `INTERNAL`.\n", strings.Join(codes(f), ", "))
}

// codes returns the error codes of a field, from its arguments and descriptions.
func codes(f *ast.FieldDefinition) (list []string) {
	text := f.Description
	for _, a := range f.Arguments {
		text += " " + a.Description
	}
	has := func(argument string) bool { return f.Arguments.ForName(argument) != nil }
	for _, c := range []struct {
		code apierror.Code
		when bool
	}{
		{apierror.BadUserInput, len(f.Arguments) > 0},
		{apierror.InvalidCursor, has("after")},
		// The cursors of lists in chain order have a block.
		{apierror.CursorReorged, has("after") && has("order")},
		{apierror.ChangesExpired, false},
		{apierror.ReplicaBehind, has("after") && (has("order") || strings.Contains(text, string(apierror.ChangesExpired)))},
		{apierror.BlockNotIndexed, has("keys")},
		{apierror.BlockNotFound, has("block")},
		{apierror.BlockNotCanonical, has("block")},
		{apierror.NotFound, has("address") || has("keys") || has("addresses") && has("partial")},
	} {
		if c.when || strings.Contains(text, string(c.code)) {
			list = append(list, "`"+string(c.code)+"`")
		}
	}
	if len(list) == 0 {
		list = []string{"none"}
	}
	return list
}

// object writes a type, below a heading.
func (d *described) object(title string, t *ast.Definition) {
	fmt.Fprintf(d, "\n%s\n\n%s\n", title, t.Description)
	if len(t.Interfaces) > 0 {
		fmt.Fprintf(d, "\nImplements %s.\n", d.links(t.Interfaces))
	}
	if t.Kind == ast.Interface {
		var names []string
		for _, p := range d.schema.PossibleTypes[t.Name] {
			names = append(names, p.Name)
		}
		fmt.Fprintf(d, "\nImplemented by %s.\n", d.links(names))
	}
	if strings.HasPrefix(title, "## ") {
		d.example(t.Name)
	}
	switch {
	case len(t.EnumValues) > 0:
		d.WriteString("\n| value | meaning |\n| --- | --- |\n")
		for _, v := range t.EnumValues {
			fmt.Fprintf(d, "| `%s` | %s |\n", v.Name, cell(v.Description))
		}
	case t.Kind == ast.InputObject:
		d.WriteString("\n| field | type | meaning |\n| --- | --- | --- |\n")
		for _, f := range t.Fields {
			fmt.Fprintf(d, "| `%s` | %s | %s |\n", f.Name, d.link(f.Type), cell(f.Description))
		}
	case len(t.Fields) > 0:
		d.WriteString("\n| field | type | cost | meaning |\n| --- | --- | --- | --- |\n")
		for _, f := range t.Fields {
			fmt.Fprintf(d, "| `%s` | %s | %s | %s |\n", f.Name, d.link(f.Type), d.prices.Words(f), cell(f.Description))
		}
		for _, f := range t.Fields {
			if len(f.Arguments) > 0 {
				fmt.Fprintf(d, "\nArguments of `%s`:\n", f.Name)
				d.arguments(f)
			}
		}
	}
}

// arguments writes the table of a field's arguments.
func (d *described) arguments(f *ast.FieldDefinition) {
	if len(f.Arguments) == 0 {
		return
	}
	d.WriteString("\n| argument | type | meaning |\n| --- | --- | --- |\n")
	for _, a := range f.Arguments {
		byDefault := ""
		if a.DefaultValue != nil {
			byDefault = " = `" + a.DefaultValue.String() + "`"
		}
		fmt.Fprintf(d, "| `%s` | %s%s | %s |\n", a.Name, d.link(a.Type), byDefault, cell(a.Description))
	}
}

// link returns a type with a link to its description.
func (d *described) link(t *ast.Type) string {
	named := d.schema.Types[t.Name()]
	text := "`" + t.String() + "`"
	switch {
	case named.BuiltIn:
		return text
	case named.Kind == ast.Object && !isList(named) && d.owner(named) == named.Name:
		return "[" + text + "](#type-" + strings.ToLower(named.Name) + ")"
	}
	return "[" + text + "](#" + strings.ToLower(named.Name) + ")"
}

func (d *described) links(names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, d.link(ast.NamedType(name, nil)))
	}
	return strings.Join(list, ", ")
}

// cell returns a text as the cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
