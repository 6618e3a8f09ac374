package httpapi

import (
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
)

// buckets returns how many buckets there are for each value of the page's list, and how
// many values.
func (m *meter) buckets(field *ast.Field) (n, values int) {
	for _, name := range m.prices[m.around.Definition].filters {
		if argument := m.around.Arguments.ForName(name); argument != nil {
			if list, ok := m.value(argument).([]any); ok {
				values += len(list)
			}
		}
	}
	values = max(1, min(values, nft.MaxValues))
	most := int64(nft.MaxBuckets / values)
	from, bounded := m.long("fromTime")
	to, ok := m.long("toTime")
	if !bounded || !ok || from < 0 || from > to {
		return int(most), values
	}
	seconds := int64(3600)
	switch interval, _ := m.value(field.Arguments.ForName("interval")).(string); interval {
	case "DAY":
		seconds *= 24
	case "WEEK":
		seconds *= 24 * 7
	case "MONTH":
		seconds *= 24 * 28
	}
	// Both ends may be cut.
	return int(min(most, (to-from)/seconds+2)), values
}

// long reads an argument of the page that is a number.
func (m *meter) long(name string) (int64, bool) {
	argument := m.around.Arguments.ForName(name)
	if argument == nil {
		return 0, false
	}
	return integer(m.value(argument))
}
