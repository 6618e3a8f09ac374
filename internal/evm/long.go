package evm

import (
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
	if err != nil || n > MaxLong {
		return 0, errLong(quote(text))
	}
	return Long(n), nil
}

func errLong(got string) error {
	return fmt.Errorf("invalid Long %s: want an integer from 0 to 2^53-1, decimal or 0x-hex", got)
}

// String returns the decimal form.
func (l Long) String() string { return strconv.FormatUint(uint64(l), 10) }

// MarshalText implements [encoding.TextMarshaler].
func (l Long) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Long) UnmarshalText(text []byte) error {
	n, err := ParseLong(string(text))
	if err != nil {
		return err
	}
	*l = n
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (l Long) MarshalJSON() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalJSON implements [json.Unmarshaler]; a string or an integer literal.
func (l *Long) UnmarshalJSON(data []byte) error {
	text, err := integerJSON(data, "Long")
	if err != nil {
		return err
	}
	return l.UnmarshalText(text)
}

// AppendGQL appends the GraphQL scalar, a JSON number.
func (l Long) AppendGQL(b []byte) []byte { return strconv.AppendUint(b, uint64(l), 10) }

// MarshalGQL writes the GraphQL scalar Long.
func (l Long) MarshalGQL(w io.Writer) { write(w, l.AppendGQL(nil)) }

// UnmarshalGQL reads the GraphQL scalar Long.
func (l *Long) UnmarshalGQL(v any) error {
	text, ok := integerText(v)
	if !ok {
		return errLong(describe(v))
	}
	return l.UnmarshalText([]byte(text))
}
