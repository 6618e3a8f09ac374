package evm

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// integerText returns the digits of a GraphQL input that is a string or an
// integer. A float64 is what some JSON decoders make of an integer: it is taken
// when it is whole and at most [MaxLong], above which it may have been rounded.
// A [json.Number] comes as it was written, fraction and exponent included.
func integerText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case int, int32, int64, uint32, uint64:
		return fmt.Sprint(v), true
	case float64:
		if v < 0 || v > MaxLong || v != math.Trunc(v) {
			return "", false
		}
		return strconv.FormatUint(uint64(v), 10), true
	default:
		return "", false
	}
}

// integerJSON returns the text of a JSON string, or of any other JSON value as
// it is written.
func integerJSON(data []byte, what string) ([]byte, error) {
	if len(data) > 0 && data[0] == '"' {
		return unquote(data, what)
	}
	return data, nil
}
