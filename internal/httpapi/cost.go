package httpapi

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/fastql"
	"mintburn/internal/nft"
)

// Prices, in units of about one small value of an answer. docs/limits.md lists
// them.
const (
	// lookupPrice is the price of a field of Query, which reads the database. A page
	// costs one more for each itemsPerUnit items, because whole items are read.
	lookupPrice, itemsPerUnit = 20, 10
	// valuePrice is the price of a value of a list of filters, which is a look-up too, of
	// few items.
	valuePrice = 10
	// bucketPrice is the price of a bucket, for each value of a list.
	bucketPrice = 5
	// totalPrice is the price of a total or a sum, largePrice of a text of any length.
	totalPrice, largePrice = 20, 20
	// objectPrice is the price of one object beside another, which is a look-up with those
	// of the other objects of a list.
	objectPrice = 10
	// introspectionPrice is the price of a field of introspection, which gqlgen's own
	// execution answers.
	introspectionPrice = 5
	// keyPrice is how many bytes of a response key cost one unit. The schema's names
	// are shorter.
	keyPrice = 32
	// listSize is the assumed length of a list if nothing says how long it is.
	listSize = 10
	// defaultPage is the page size if the request has none. docs/api.md#paging.
	defaultPage = 20
	// mostCost is the largest cost. Sums and products stop there.
	mostCost = 1 << 40
)

// priced has the inputs of a field's cost.
type priced struct {
	// price is the cost of the field itself, once.
	price int
	// page says that the field returns a page, whose direct lists have one element
	// for each item; list says that its value is a list.
	page, list bool
	// listed is the argument with one element for each of the list's, or "".
	listed string
	// size is the average length of the list, or 0 if it is unknown.
	size int
	// filters are the arguments of a page that are lists.
	filters []string
	// buckets says that the field's value is a list of buckets.
	buckets bool
}

// prices has the inputs of the cost of each field of a schema.
type prices map[*ast.FieldDefinition]priced

func newPrices(schema *ast.Schema) prices {
	all, sizes := prices{}, introspected(schema)
	for _, typ := range schema.Types {
		for _, field := range typ.Fields {
			p := priced{price: 1, list: field.Type.Elem != nil, page: field.Arguments.ForName("first") != nil}
			switch {
			case typ == schema.Query && !strings.HasPrefix(field.Name, "__"), p.page:
				p.price = lookupPrice
			case strings.HasPrefix(typ.Name, "__"), strings.HasPrefix(field.Name, "__"):
				p.price, p.size = introspectionPrice, sizes[field.Name]
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

// isObject reports whether a field is looked up for its object.
func isObject(typ *ast.Definition, field *ast.FieldDefinition) bool {
	switch field.Name {
	case "token", "firstMint", "lastMint", "lastBurn", "documents":
		return true
	case "contractType":
		return typ.Name == "Collection"
	default:
		return false
	}
}

// introspected returns the average lengths of introspection's lists in a schema,
// rounded up, by the fields that return them.
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

// meter adds up the cost of an operation, which is at least the work of the
// server, and more where fields are selected twice.
type meter struct {
	prices    prices
	pageSize  int
	variables map[string]any
	// values counts those of all lists of filters; failed says that there are too many.
	values int
	failed *requestError
	// around is the page whose selections are added up.
	around *ast.Field
}

// cost returns the cost of an operation of a valid document, which has at most
// maxFields fields. Page sizes are clamped before anything is multiplied by them.
func (m *meter) cost(operation *ast.OperationDefinition) int {
	return m.selections(operation.SelectionSet, listSize)
}

// selections returns the cost of selecting from one object, whose lists are
// assumed to hold size elements.
func (m *meter) selections(set ast.SelectionSet, size int) (sum int) {
	fastql.EachField(set, m.variables, func(f *ast.Field) { sum = plus(sum, m.field(f, size)) })
	return sum
}

func (m *meter) field(field *ast.Field, size int) int {
	p, ok := m.prices[field.Definition]
	if !ok {
		p.price = 1 // __typename
	}
	p.price += len(field.Alias) / keyPrice
	inner := listSize
	if p.page {
		inner = m.page(field)
		p.price += inner / itemsPerUnit
	}
	for _, name := range p.filters {
		p.price += valuePrice * m.filter(field, name)
	}
	if p.buckets {
		var values int
		size, values = m.buckets(field)
		p.price = bucketPrice * values
	}
	if around := m.around; p.page {
		m.around = field
		defer func() { m.around = around }()
	}
	cost := plus(p.price, m.selections(field.SelectionSet, inner))
	switch {
	case p.size > 0:
		size = p.size
	case p.listed != "":
		size = m.length(field.Arguments.ForName(p.listed))
	}
	if p.list {
		cost = times(size, cost)
	}
	return cost
}

// page returns the page size of a field, at most the largest.
func (m *meter) page(field *ast.Field) int {
	for _, name := range []string{"first", "last"} {
		if argument := field.Arguments.ForName(name); argument != nil {
			if n, ok := integer(m.value(argument)); ok {
				return int(max(0, min(n, int64(m.pageSize))))
			}
		}
	}
	return min(defaultPage, m.pageSize)
}

// filter returns how many values a list of a field's filters has, and counts them.
func (m *meter) filter(field *ast.Field, name string) (n int) {
	argument := field.Arguments.ForName(name)
	if argument == nil {
		return 0
	}
	switch value := m.value(argument).(type) {
	case nil:
	case []any:
		n = len(value)
	default:
		n = 1
	}
	m.values += n
	switch {
	case m.failed != nil:
	case n > nft.MaxValues:
		m.failed = badRequest("%s", nft.TooManyValues(name, n).Message).at(argument.Position)
	case m.values > nft.MaxValues:
		m.failed = failf(nft.QueryTooCostly, "the lists of the operation have more than %d values", nft.MaxValues).at(argument.Position)
	}
	return n
}

// length returns the length of a list argument, at most 2^20.
func (m *meter) length(argument *ast.Argument) int {
	if argument == nil {
		return 0
	}
	if list, ok := m.value(argument).([]any); ok {
		return min(len(list), 1<<20)
	}
	return 1
}

func (m *meter) value(argument *ast.Argument) any {
	// Its only error is a number out of range, which validation rejects.
	value, _ := argument.Value.Value(m.variables)
	return value
}

// integer reads a number of a variable or a literal.
func integer(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	default:
		return 0, false
	}
}

// plus and times stop at mostCost; their operands are at most that, and a size
// at most 2^20.
func plus(a, b int) int { return min(a+b, mostCost) }

func times(size, cost int) int { return min(size*cost, mostCost) }
