package negotiate

import (
	"strconv"
	"strings"
)

// eachWeighted calls visit for each member of a header such as Accept, with its name in lower
// case, its parameters and its weight, 1 by default. Members with an invalid weight are
// skipped. RFC 9110, section 12.4.2.
func eachWeighted(values []string, visit func(name, parameters string, weight float64)) {
	for _, value := range values {
		for member := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(member, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			weight, ok := weightOf(parameters)
			if name != "" && ok {
				visit(name, parameters, weight)
			}
		}
	}
}

// weightOf returns the parameter q, or 1 without it. ok is false if it is invalid.
func weightOf(parameters string) (weight float64, ok bool) {
	text, found := Parameter(parameters, "q")
	if !found {
		return 1, true
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && weight >= 0 && weight <= 1
}

// Parameter returns the value of a parameter in a list such as "a=1;b=2", without quotes, and
// whether it is there. Names are the same in upper and lower case.
func Parameter(parameters, name string) (value string, found bool) {
	for one := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(one, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return "", false
}
