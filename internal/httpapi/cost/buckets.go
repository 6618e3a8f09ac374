package cost

import (
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

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
	values = max(1, min(values, nft.MaxValues))
	from, bounded := m.long("fromTime")
	to, ok := m.long("toTime")
	if !bounded || !ok || from > to {
		return nft.MaxBuckets / values, values
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
	return int(min(nft.MaxTimedBuckets/evm.Long(values), (to-from)/seconds+2)), values
}

// long returns a Long argument of the enclosing page, in any form.
func (m *meter) long(name string) (n evm.Long, ok bool) {
	argument := m.enclosing.Arguments.ForName(name)
	return n, argument != nil && n.UnmarshalGQL(m.value(argument)) == nil
}
