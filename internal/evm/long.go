package evm

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// MaxLong is the largest [Long], 2^53-1: the largest integer that every JSON
// reader keeps exactly.
const MaxLong = 1<<53 - 1

// Long is EIP-1767's 64-bit unsigned integer, for block numbers and times. It
// is at most [MaxLong], so that it can be a JSON number. Read are an integer
// literal, decimal text and a 0x-hex quantity.
type Long uint64

// ParseLong reads decimal text or a 0x-hex quantity of at most [MaxLong].
func ParseLong(text string) (Long, error) {
	digits, base := text, 10
	if len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		digits, base = text[2:], 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil || n > MaxLong || digits[0] == '+' {
		return 0, fmt.Errorf("invalid Long %s: want an integer from 0 to 2^53-1", quote(text))
	}
	return Long(n), nil
}

// String returns the decimal form.
func (l Long) String() string { return strconv.FormatUint(uint64(l), 10) }

// MarshalText implements [encoding.TextMarshaler].
func (l Long) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Long) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLong(string(text))
	return err
}

// MarshalJSON implements [json.Marshaler].
func (l Long) MarshalJSON() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalJSON implements [json.Unmarshaler]; a number or a string.
func (l *Long) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		text, err := unquote(data, "Long")
		if err != nil {
			return err
		}
		return l.UnmarshalText([]byte(text))
	}
	return l.UnmarshalText(data)
}

// MarshalGQL writes the GraphQL scalar Long.
func (l Long) MarshalGQL(w io.Writer) { write(w, strconv.AppendUint(nil, uint64(l), 10)) }

// UnmarshalGQL reads the GraphQL scalar Long.
func (l *Long) UnmarshalGQL(v any) error {
	text, ok := integerText(v)
	if f, isFloat := v.(float64); isFloat && f == float64(int64(f)) {
		text, ok = strconv.FormatFloat(f, 'f', -1, 64), true
	}
	if !ok {
		return fmt.Errorf("invalid Long %s: want an integer from 0 to 2^53-1", describe(v))
	}
	return l.UnmarshalText([]byte(text))
}

var _ json.Marshaler = Long(0)
