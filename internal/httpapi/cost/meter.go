package cost

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/httpapi/failure"
)

// Prices, in units of roughly one small value of an answer. docs/limits.md lists them.
const (
	// lookupPrice is the price of a field of Query, which reads the database. A page costs one
	// more for every itemsPerUnit items, because whole items are read.
	lookupPrice, itemsPerUnit = 20, 10
	// valuePrice is the price of each value in a filter list, which causes another look-up, of
	// few items.
	valuePrice = 10
	// bucketPrice is the price of a bucket for each value of a list.
	bucketPrice = 5
	// totalPrice is the price of a total or a sum, largePrice of a string of unbounded length.
	totalPrice, largePrice = 20, 20
	// objectPrice is the price of a related object, which is looked up together with those of
	// the other objects in the list.
	objectPrice = 10
	// digestPrice is the price of a digest, for which up to 2,000 records are read.
	digestPrice = 5_000
	// proofPrice is the price of a proof, which is read from a node, of as many as one answer may have.
	proofPrice = 5_000
	// introspectionPrice is the price of an introspection field, which gqlgen's executor
	// answers.
	introspectionPrice = 5
	// walkPrice is the price of each value beyond the first in filters by traits, if there are
	// several filters, and for a total: each may be looked up for up to
	// [apierror.MaxTraitEntries] tokens.
	walkPrice = 50_000
	// keyPrice is how many bytes of a response key cost one unit. Names in the schema are
	// shorter.
	keyPrice = 32
	// listSize is the assumed length of a list of unknown length.
	listSize = 10
	// defaultPage is the page size of a request without one. docs/api.md#paging.
	defaultPage = 20
	// mostCost is the maximum cost. Sums and products saturate there.
	mostCost = 1 << 40
)

// meter computes the cost of an operation. The cost is at least the work of the server, and
// higher where fields are selected twice.
type meter struct {
	prices    Prices
	pageSize  int
	variables map[string]any
	// values counts the values of all filter lists. failed is the error if there are too many.
	values int
	failed *failure.Error
	// proofs counts the selected proofs, and items is the number of objects at the current place.
	proofs, items int
	// enclosing is the innermost page around the current selection.
	enclosing *ast.Field
}

// Cost returns the cost of an operation, from 0 to 2^40 units of roughly one small value of an
// answer. Its document is valid for the schema of the prices and has passed
// [Limits.CheckShape]; variables are its coerced variables, pageSize is the maximum page size.
// It fails if the filter lists have more than [apierror.MaxValues] values together. Page sizes are
// clamped before any multiplication. proofs reports that the operation selects proofs of blocks.
func (p Prices) Cost(operation *ast.OperationDefinition, variables map[string]any, pageSize int) (sum int, proofs bool, failed *failure.Error) {
	m := meter{prices: p, pageSize: pageSize, variables: variables, items: 1}
	sum = m.selections(operation.SelectionSet, listSize)
	most := apierror.MaxProofs
	if operation.Operation == ast.Subscription {
		most = apierror.MaxBatchProofs
	}
	return Plus(sum, proofPrice*min(m.proofs, most)), m.proofs > 0, m.failed
}

// selections returns the cost of a selection set on one object whose lists are assumed to have
// size elements.
func (m *meter) selections(set ast.SelectionSet, size int) (sum int) {
	fastql.EachField(set, m.variables, func(f *ast.Field) { sum = Plus(sum, m.field(f, size)) })
	return sum
}

func (m *meter) field(field *ast.Field, size int) int {
	p, ok := m.prices[field.Definition]
	if !ok {
		p.price = 1 // __typename
	}
	if p.proof {
		p.price, m.proofs = 0, Plus(m.proofs, m.items)
	}
	p.price += len(field.Alias) / keyPrice
	inner := listSize
	if p.page {
		inner = m.page(field, p)
		p.price += inner / itemsPerUnit
	}
	for _, name := range p.filters {
		p.price += valuePrice * m.filter(field, name)
	}
	if p.changes && m.scans(field) {
		p.price += apierror.MaxScanned / itemsPerUnit
	}
	if field.Name == "totalItems" && m.enclosing != nil {
		_, values := m.traits(m.enclosing)
		p.price += walkPrice * max(0, values-1)
		if text, _ := m.given(m.enclosing, "search").(string); text != "" {
			p.price += apierror.MaxSearchTotal / itemsPerUnit
		}
	} else if filters, values := m.traits(field); filters > 1 {
		p.price += walkPrice * max(0, values-1)
	}
	if p.buckets {
		var values int
		size, values = m.buckets(field)
		p.price = bucketPrice * values
	}
	if enclosing := m.enclosing; p.page {
		m.enclosing = field
		defer func() { m.enclosing = enclosing }()
	}
	switch {
	case !p.list:
		size = 1
	case p.page:
		size = inner
	case p.size > 0:
		size = p.size
	case p.listed != "":
		size = m.length(field.Arguments.ForName(p.listed))
	}
	items := m.items
	m.items = times(size, items)
	selected := m.selections(field.SelectionSet, inner)
	m.items = items
	if p.page && p.list {
		return Plus(p.price, times(size, selected))
	}
	return times(size, Plus(p.price, selected))
}

// page returns the page size of a field, clamped to the maximum. A list is one of values, without
// a connection.
func (m *meter) page(field *ast.Field, p priced) int {
	most, size := m.pageSize, cmp.Or(p.size, defaultPage)
	if p.list {
		most, size = apierror.MaxTraitValues, apierror.DefaultTraitValues
	}
	for _, name := range []string{"first", "last"} {
		if argument := field.Arguments.ForName(name); argument != nil {
			if n, ok := integer(m.value(argument)); ok {
				return int(max(0, min(n, int64(most))))
			}
		}
	}
	return min(size, most)
}

// filter returns the number of values in a filter list, and counts them. A list with too many
// is an error of its field, which looks none of them up, so only their reading has a price.
func (m *meter) filter(field *ast.Field, name string) (n int) {
	argument := field.Arguments.ForName(name)
	if argument == nil {
		return 0
	}
	switch value := m.value(argument).(type) {
	case nil:
	case []any:
		for _, one := range value {
			n += valuesOf(one)
		}
	default:
		n = valuesOf(value)
	}
	if n > apierror.MaxValues {
		return n / valuePrice
	}
	if m.values += n; m.failed == nil && m.values > apierror.MaxValues {
		m.failed = failure.New(apierror.QueryTooCostly, "the lists of the operation have more than %d values", apierror.MaxValues).At(argument.Position)
	}
	return n
}

// traits returns the number of a field's filters by traits, and of their values.
func (m *meter) traits(field *ast.Field) (filters, values int) {
	argument := field.Arguments.ForName("traits")
	if argument == nil {
		return 0, 0
	}
	given := m.value(argument)
	list, ok := given.([]any)
	if !ok && given != nil {
		list = []any{given}
	}
	for _, one := range list {
		values += valuesOf(one)
	}
	return len(list), min(values, apierror.MaxFilterValues)
}

// scans reports whether a batch of changes reads records or documents that its filter leaves out.
func (m *meter) scans(field *ast.Field) bool {
	documents := false
	switch kinds := m.given(field, "kinds").(type) {
	case nil:
		documents = true
	case []any:
		documents = slices.Contains(kinds, any("METADATA"))
	default:
		documents = kinds == "METADATA"
	}
	return m.given(field, "addresses") != nil && (m.given(field, "accounts") != nil || documents)
}

// given returns the value of a field's argument, or nil.
func (m *meter) given(field *ast.Field, name string) any {
	if argument := field.Arguments.ForName(name); argument != nil {
		return m.value(argument)
	}
	return nil
}

// valuesOf returns the number of values in an element of a filter list: those in its lists, if
// it is an object with lists, else 1.
func valuesOf(element any) (n int) {
	object, _ := element.(map[string]any)
	for _, member := range object {
		if list, ok := member.([]any); ok {
			n += len(list)
		}
	}
	return max(1, n)
}

// length returns the length of a list argument, capped at 2^20.
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
	// The only error is a number out of range, which validation rejects.
	value, _ := argument.Value.Value(m.variables)
	return value
}

// integer returns an integer from a variable or a literal.
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

// Plus adds two costs of at most 2^40, where it saturates: no sum of operations overflows.
func Plus(a, b int) int { return min(a+b, mostCost) }

// times saturates at mostCost. size must not exceed 2^20, nor cost mostCost.
func times(size, cost int) int { return min(size*cost, mostCost) }

// buckets returns the number of buckets for each value of the page's lists, and the number of
// values.
func (m *meter) buckets(field *ast.Field) (n, values int) {
	for _, name := range m.prices[m.enclosing.Definition].filters {
		if argument := m.enclosing.Arguments.ForName(name); argument != nil {
			if list, ok := m.value(argument).([]any); ok {
				values += len(list)
			}
		}
	}
	values = max(1, min(values, apierror.MaxValues))
	from, bounded := m.long("fromTime")
	to, ok := m.long("toTime")
	if !bounded || !ok || from > to {
		return apierror.MaxBuckets / values, values
	}
	seconds := evm.Long(3600)
	switch interval, _ := m.value(field.Arguments.ForName("interval")).(string); interval {
	case "DAY":
		seconds *= 24
	case "WEEK":
		seconds *= 24 * 7
	case "MONTH":
		seconds *= 24 * 28
	}
	// The first and the last bucket may be partial.
	return int(min(apierror.MaxTimedBuckets/evm.Long(values), (to-from)/seconds+2)), values
}

// long returns a Long argument of the enclosing page, in any form.
func (m *meter) long(name string) (n evm.Long, ok bool) {
	argument := m.enclosing.Arguments.ForName(name)
	return n, argument != nil && n.UnmarshalGQL(m.value(argument)) == nil
}
