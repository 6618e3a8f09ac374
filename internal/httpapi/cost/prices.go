package cost

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
)

// priced has the inputs of a field's cost.
type priced struct {
	// price is the cost of the field itself, once.
	price int
	// page reports that the field returns a page, whose direct lists have one element for each
	// item. list reports that its value is a list.
	page, list bool
	// listed is the argument that determines the list's length, or "".
	listed string
	// size is the average length of the list, or of a page the default size; 0 if unknown.
	size int
	// filters are the list arguments of a page.
	filters []string
	// buckets reports that the field's value is a list of buckets, changes that it is a batch, and proof
	// that it is a proof.
	buckets, changes, proof bool
}

// Prices maps each field of a schema to the inputs of its cost. It is read-only and safe for
// concurrent use.
type Prices map[*ast.FieldDefinition]priced

// NewPrices returns the prices of a schema's fields. They depend on names and types only.
func NewPrices(schema *ast.Schema) Prices {
	all, sizes := Prices{}, introspected(schema)
	for _, typ := range schema.Types {
		for _, field := range typ.Fields {
			p := priced{price: 1, list: field.Type.Elem != nil, page: field.Arguments.ForName("first") != nil || typ == schema.Subscription}
			if field.Type.Name() == "ChangeBatch" {
				p.size, p.changes = apierror.DefaultChanges, true
			}
			switch {
			case typ == schema.Query && !strings.HasPrefix(field.Name, "__"), p.page:
				p.price = lookupPrice
			case strings.HasPrefix(typ.Name, "__"), strings.HasPrefix(field.Name, "__"):
				p.price, p.size = introspectionPrice, sizes[field.Name]
			case field.Name == "digest":
				p.price = digestPrice
			case field.Type.Name() == "BlockProof":
				p.price, p.proof = proofPrice, true
			case field.Name == "supply":
				p.price = 2 * totalPrice
			case field.Name == "totalItems" && typ.Fields.ForName("pageInfo") != nil, field.Arguments.ForName("atBlock") != nil, typ.Name == "Token" && field.Name == "state":
				p.price = totalPrice
			case isObject(typ, field):
				p.price = objectPrice
			case field.Name == "raw", field.Name == "imageData":
				p.price = largePrice
			}
			for _, a := range field.Arguments {
				if p.page && a.Type.Elem != nil {
					p.filters = append(p.filters, a.Name)
				}
			}
			p.buckets = p.list && field.Arguments.ForName("interval") != nil
			if p.list && !p.buckets && len(field.Arguments) > 0 && field.Arguments[0].Type.Elem != nil {
				p.listed = field.Arguments[0].Name
			}
			all[field] = p
		}
	}
	return all
}

// isObject reports whether the field's value is looked up for its parent object.
func isObject(typ *ast.Definition, field *ast.FieldDefinition) bool {
	switch field.Name {
	case "token", "firstMint", "lastMint", "lastBurn", "documents", "details":
		return true
	case "contractType":
		return typ.Name == "Collection"
	default:
		return false
	}
}

// introspected returns the average length, rounded up, of each list that introspection of a
// schema returns, by field name.
func introspected(schema *ast.Schema) map[string]int {
	var fields, args, values, interfaces, possible, inputs int
	for _, t := range schema.Types {
		if t.Kind == ast.InputObject {
			inputs += len(t.Fields)
			continue
		}
		fields += len(t.Fields)
		for _, f := range t.Fields {
			args += len(f.Arguments)
		}
		values, interfaces = values+len(t.EnumValues), interfaces+len(t.Interfaces)
		possible += len(schema.PossibleTypes[t.Name])
	}
	each := func(sum, of int) int { return 1 + sum/max(1, of) }
	types := len(schema.Types)
	return map[string]int{
		"types": types, "directives": len(schema.Directives), "fields": each(fields, types), "args": each(args, fields),
		"enumValues": each(values, types), "interfaces": each(interfaces, types), "possibleTypes": each(possible, types), "inputFields": each(inputs, types),
	}
}

// Words says what a field of the schema costs, without what is selected of its value, in Markdown.
// [Prices.Cost] is exact.
func (p Prices) Words(field *ast.FieldDefinition) string {
	f := p[field]
	words := strconv.Itoa(f.price)
	switch {
	case f.buckets:
		words = fmt.Sprintf("%d for each interval and value of a list", bucketPrice)
	case f.page:
		words += fmt.Sprintf(" plus 1 for every %d items", itemsPerUnit)
	case f.listed != "":
		words += fmt.Sprintf(" for each of `%s`", f.listed)
	}
	if len(f.filters) > 0 {
		words += fmt.Sprintf(" plus %d for each value of `%s`", valuePrice, strings.Join(f.filters, "`, `"))
	}
	return words
}
