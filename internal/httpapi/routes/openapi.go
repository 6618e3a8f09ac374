package routes

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/openapi"
)

// describer describes the routes in OpenAPI. Their fields and parameters are the selections and the
// variables of their documents, whose types and descriptions are those of the schema.
// facts.go has the rest.
type describer struct {
	*openapi.Document
	schema *ast.Schema
}

// OpenAPI returns the OpenAPI document of the routes.
func (r *Routes) OpenAPI(schema *ast.Schema) *openapi.Document {
	d := describer{openAPIFrame(), schema}
	d.Components.Schemas.Add("ContractType", d.named("ContractType").About(plain(schema.Types["ContractType"].Description)))
	for _, to := range r.List {
		d.route(to)
	}
	d.path("/schema.graphql", openapi.Operation{OperationID: "schema", Summary: "The GraphQL schema, if introspection is enabled", Security: []map[string][]string{}}, "Schema", "NotModified", "Hidden", "Misdirected")
	d.path("/chains", openapi.Operation{OperationID: "chains", Summary: "The chains and how far they are, if the server has several"}, strings.Fields("Chains Unauthenticated Hidden Misdirected QuotaSpent Unavailable")...)
	d.Components.Schemas.Add("Chains", chainsSchema())
	d.Components.Schemas.Add("Error", errorSchema())
	return d.Document
}

// path adds an operation with its responses.
func (d *describer) path(path string, o openapi.Operation, names ...string) {
	for _, r := range responses {
		if slices.Contains(names, r.name) {
			o.Responses.Add(strconv.Itoa(r.status), openapi.Reference{Ref: "#/components/responses/" + r.name})
		}
	}
	d.Paths.Add(path, openapi.Path{Get: o})
}

// route adds the path of a route.
func (d *describer) route(to *Route) {
	o, answer := openapi.Operation{OperationID: to.id, Summary: to.summary}, to.Document.Query.Operations[0].SelectionSet[0].(*ast.Field)
	for _, name := range slices.Concat(to.parameters(), to.optional) {
		s := amended(d.parameter(ast.SelectionSet{answer}, name), "?"+name, to.id+"?"+name)
		p := openapi.Parameter{Name: name, In: "query", Description: s.Description, Required: slices.Contains(to.parameters(), name), Schema: s.About("")}
		if slices.Contains(to.path, "{"+name+"}") {
			p.In = "path"
		}
		o.Parameters = append(o.Parameters, p)
	}
	d.path(to.Document.Route, o, slices.Concat(to.answers(), []string{d.body(to, answer)}, strings.Fields("BadRequest Unauthenticated Forbidden Misdirected QuotaSpent Internal Unavailable Timeout"))...)
}

// answers returns the names of the responses of a route that not every route has.
func (to *Route) answers() []string {
	switch {
	case to.text != "":
		return []string{"Expired"}
	case to.field == "block":
		return []string{"NotFound", "Gone", "NotProvable"}
	case to.object != "":
		return []string{"NotFound", "OutOfRange"}
	case to.items != "":
		return []string{"NotFound", "Gone", "OutOfRange"}
	case to.record():
		return []string{"NotModified", "NotFound"}
	default:
		return []string{"NotModified", "NotFound", "Gone"}
	}
}

// parameter describes the argument whose value is a variable, or returns an empty schema.
func (d *describer) parameter(set ast.SelectionSet, variable string) (s openapi.Schema) {
	argument := argumentOf(set, variable)
	if argument == nil {
		return s
	}
	s = d.named(argument.Type.Name())
	if argument.Type.Name() == "BigInt" {
		s = openapi.To("TokenId")
	}
	text := plain(argument.Description)
	if argument.Type.Elem != nil {
		s, text = openapi.List(s, apierror.MaxValues), text+" Repeat the parameter."
	}
	if argument.DefaultValue != nil {
		// Constants have no variables, so there is no error.
		s.Default, _ = argument.DefaultValue.Value(nil)
	}
	return s.About(text)
}

// argumentOf returns the argument whose value is a variable, or nil.
func argumentOf(set ast.SelectionSet, variable string) (found *ast.ArgumentDefinition) {
	for _, selection := range set {
		field, ok := selection.(*ast.Field)
		if !ok {
			continue
		}
		for _, argument := range field.Arguments {
			if argument.Value.Kind == ast.Variable && argument.Value.Raw == variable {
				return field.Definition.Arguments.ForName(argument.Name)
			}
		}
		found = cmp.Or(found, argumentOf(field.SelectionSet, variable))
	}
	return found
}

// body describes what a route answers with, and returns the name of its schema.
func (d *describer) body(to *Route, answer *ast.Field) string {
	t, set := answer.Definition.Type, answer.SelectionSet
	switch {
	case to.record():
		data := set[0].(*ast.Field)
		t, set = data.Definition.Type.Elem, data.SelectionSet
	case to.field == "block":
		return d.object("ProvedBlock", t.NamedType, set)
	case t.Elem != nil:
		tokens := openapi.List(d.typeOf(t.Elem, set), maxKeys).About("The tokens, in the order of the keys; null for those without mints and burns.")
		d.Components.Schemas.Add("Tokens", openapi.Object(openapi.Map[openapi.Schema]{member("data", tokens)}).About("Tokens."))
		return "Tokens"
	}
	return d.object(componentOf(t.NamedType), t.NamedType, set)
}

// typeOf describes the values of a type, of which a set is selected.
func (d *describer) typeOf(t *ast.Type, set ast.SelectionSet) (s openapi.Schema) {
	switch {
	case t.Elem != nil:
		s = openapi.List(d.typeOf(t.Elem, set), maxPage)
	case t.NamedType == "Change":
		s = openapi.To(d.change(set))
	case len(set) > 0:
		s = openapi.To(d.object(componentOf(t.NamedType), t.NamedType, set))
	default:
		s = d.named(t.NamedType)
	}
	if !t.NonNull {
		s = openapi.Nullable(s)
	}
	return s
}

// named describes the values of a scalar, an enum or an input.
func (d *describer) named(name string) openapi.Schema {
	component := componentOf(name)
	if _, known := d.Components.Schemas.Get(component); known {
		return openapi.To(component)
	}
	if known, ok := unnamed[name]; ok {
		return known
	}
	enum := openapi.Schema{Type: "string"}
	for _, value := range d.schema.Types[name].EnumValues {
		text := value.Name
		if slices.Contains(inLowerCase, name) {
			text = strings.ToLower(text)
		}
		enum.Enum = append(enum.Enum, text)
	}
	return enum
}

// object defines what is selected of a type, if that is new, and returns its name.
func (d *describer) object(name, typ string, set ast.SelectionSet) string {
	if _, known := d.Components.Schemas.Get(name); known {
		return name
	}
	// Mints and burns are described by their interface.
	definition := cmp.Or(d.schema.Types[name], d.schema.Types[typ])
	at := len(d.Components.Schemas)
	d.Components.Schemas.Add(name, openapi.Schema{})
	var members openapi.Map[openapi.Schema]
	var optional []string
	for _, selection := range set {
		selected := selection.(*ast.Field)
		s := d.field(definition, selected.Name, selected.SelectionSet)
		if len(selected.Directives) > 0 {
			optional = append(optional, selected.Alias)
			s = s.About(strings.TrimSuffix(s.Description, ".") + "; only with partial=true.")
		}
		members = append(members, member(selected.Alias, amended(s, "."+selected.Alias, name+"."+selected.Alias)))
	}
	d.Components.Schemas[at].Value = amended(openapi.Object(members, optional...).About(plain(definition.Description)), name)
	return name
}

// field describes a field of a type, of which a set is selected.
func (d *describer) field(of *ast.Definition, name string, set ast.SelectionSet) openapi.Schema {
	field := of.Fields.ForName(name)
	return d.typeOf(field.Type, set).About(plain(field.Description))
}

// change defines the changes as [change.write] writes them, and returns their name.
func (d *describer) change(set ast.SelectionSet) string {
	of := func(typ, field string) openapi.Schema { return d.field(d.schema.Types[typ], field, nil) }
	var s openapi.Schema
	add := func(kind, typ string, members ...openapi.Member[openapi.Schema]) {
		members = append(openapi.Map[openapi.Schema]{member("kind", openapi.Schema{Const: kind}), member("cursor", of(typ, "cursor"))}, members...)
		s.AnyOf = append(s.AnyOf, openapi.Object(members).About(plain(d.schema.Types[typ].Description)))
	}
	record, document := d.object("ExportedTransfer", "Transfer", selectionOf(set, "transfer")), d.object("ExportedMetadata", "TokenMetadata", selectionOf(set, "metadata"))
	add("added", "RecordAdded", member("mint", openapi.To(record)))
	add("added", "RecordAdded", member("burn", openapi.To(record)))
	add("voided", "BlocksVoided", member("from_block", of("BlockRange", "fromBlock")), member("to_block", of("BlockRange", "toBlock")),
		member("cause", of("BlocksVoided", "cause").About("Why the blocks became void; redecode only by builds before v0.1.0.")))
	add("finalized", "BlocksFinalized", member("block_number", of("Block", "number")), member("block_hash", of("Block", "hash")))
	add("metadata", "MetadataChanged", member("token_address", of("MetadataChanged", "address")), member("token_id", of("MetadataChanged", "tokenId")),
		member("metadata", openapi.Nullable(openapi.To(document)).About("The metadata, or null.")))
	d.Components.Schemas.Add("Change", s.About("A change, by its kind."))
	return "Change"
}

// selectionOf returns what is selected of a field, or nil.
func selectionOf(set ast.SelectionSet, name string) (found ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if s.Name == name {
				return s.SelectionSet
			}
		case *ast.InlineFragment:
			if found = selectionOf(s.SelectionSet, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// componentOf returns the name of the component for a type of the schema.
func componentOf(typ string) string { return cmp.Or(components[typ], typ) }

// amended returns a schema with the [facts] of keys.
func amended(s openapi.Schema, keys ...string) openapi.Schema {
	for _, key := range keys {
		fact := facts[key]
		fact.Description, fact.MaxItems = cmp.Or(fact.Description, s.Description), cmp.Or(fact.MaxItems, s.MaxItems)
		if fact.Type == "" && fact.AnyOf == nil {
			s.Description, s.MaxItems = fact.Description, fact.MaxItems
		} else {
			s = fact
		}
	}
	return s
}

// plain returns a description of the schema in one line, with the documented names.
func plain(description string) string {
	line := strings.ReplaceAll(documentedName.ReplaceAllString(description, ""), "\n", " ")
	return camelCase.ReplaceAllStringFunc(line, documented.SnakeCase)
}

var (
	// documentedName matches the documented name in a description.
	documentedName = regexp.MustCompile(` \([a-z_]+\)`)
	// camelCase matches names such as atBlock, but no function of a contract.
	camelCase = regexp.MustCompile(`\b[a-z]+([A-Z][a-z]+)+\b`)
)
