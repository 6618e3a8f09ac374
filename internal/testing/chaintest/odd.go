package chaintest

import (
	"fmt"
	"slices"
	"strings"
)

// Odd is a value that a field of a log or receipt has on some node, but not on Ethereum.
type Odd struct {
	Field string
	// Value is the value, unless Missing.
	Value   any
	Missing bool
}

// Set gives the field of an object the value.
func (o Odd) Set(object map[string]any) {
	if o.Missing {
		delete(object, o.Field)
	} else {
		object[o.Field] = o.Value
	}
}

// String returns the field and the value.
func (o Odd) String() string {
	if o.Missing {
		return "no " + o.Field
	}
	text := fmt.Sprintf("%s %v", o.Field, o.Value)
	return text[:min(len(text), 60)]
}

// OddLogs returns values of logs.
func OddLogs() (all []Odd) {
	topic := "0x" + strings.Repeat("01", 32)
	for field, values := range map[string][]any{
		"address":          {"", "0x", "0x12", topic, 7, []any{}, map[string]any{}, true},
		"topics":           {"", "0x", 7, map[string]any{}, []any{"0x"}, []any{"0x12"}, []any{nil}, []any{7}, []any{topic, "0x"}, []any{topic, topic, topic, topic, topic}, []any{topic + "00"}},
		"data":             {"", "0x0", "0x1", "0x123", "0xzz", "1234", 7, []any{}},
		"transactionHash":  {"", "0x", "0x12", topic + "00", 7},
		"transactionIndex": {"", "0x", "first", -1, 1 << 40, true},
		"logIndex":         {"", "0x", "first", -1, 1 << 40, true},
		"removed":          {"", "false", "true", 0, 1, []any{}},
		"blockTimestamp":   {"", "0x", "0x0", "now", -1, 1.5, map[string]any{}},
		"type":             {"mined"},
	} {
		all = append(all, Odd{Field: field, Missing: true}, Odd{Field: field, Value: nil})
		for _, value := range values {
			all = append(all, Odd{Field: field, Value: value})
		}
	}
	slices.SortFunc(all, func(a, b Odd) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// OddReceipts returns values of receipts that no record needs.
func OddReceipts() (all []Odd) {
	for field, values := range map[string][]any{
		"type":              {"", "0x", "legacy", "0x100", -1, []any{}},
		"status":            {true, "true", "", "0x", "0x2", "success", []any{}},
		"root":              {"", "0x", "0x12", 7},
		"cumulativeGasUsed": {"", "0x", "all", -1, "0x1ffffffffffffffff", []any{}},
		"gasUsed":           {"", "all"},
		"logsBloom":         {"", "0x", "0x00", "none", 0, []any{}},
		"depositNonce":      {"none"},
		"transactionIndex":  {"first"},
		"contractAddress":   {"0x"},
	} {
		all = append(all, Odd{Field: field, Missing: true}, Odd{Field: field, Value: nil})
		for _, value := range values {
			all = append(all, Odd{Field: field, Value: value})
		}
	}
	slices.SortFunc(all, func(a, b Odd) int { return strings.Compare(a.String(), b.String()) })
	return all
}
