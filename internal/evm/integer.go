package evm

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/holiman/uint256"
)

// MaxLong is the largest [Long], 2^53-1, because every JSON reader represents integers up to
// it exactly.
const MaxLong = 1<<53 - 1

// Long is EIP-1767's 64-bit unsigned integer, for block numbers and times. It
// is at most [MaxLong], so that it can be a JSON number. Decoders accept an integer
// literal, decimal text and a 0x-hex quantity.
type Long uint64

// ParseLong parses decimal text or a 0x-hex quantity of at most [MaxLong].
func ParseLong(text string) (Long, error) {
	digits, base := text, 10
	if len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		digits, base = text[2:], 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil || n > MaxLong {
		err = errLong(Excerpt(text))
		if at, _, ok := ParseDate(text); ok {
			err = fmt.Errorf("%w; a time is in Unix seconds, here %d", err, at.Unix())
		}
		return 0, err
	}
	return Long(n), nil
}

func errLong(got string) error {
	return fmt.Errorf("got %s, want an integer from 0 to 2^53-1, decimal or 0x-hex", got)
}

// String returns the decimal form.
func (l Long) String() string { return strconv.FormatUint(uint64(l), 10) }

// MarshalText implements [encoding.TextMarshaler].
func (l Long) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Long) UnmarshalText(text []byte) error { return set(l, ParseLong, text) }

// MarshalJSON implements [json.Marshaler].
func (l Long) MarshalJSON() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts a string or an integer literal.
func (l *Long) UnmarshalJSON(data []byte) error {
	text, err := integerJSON(data)
	if err != nil {
		return err
	}
	return l.UnmarshalText(text)
}

// AppendGQL appends the GraphQL scalar, a JSON number.
func (l Long) AppendGQL(b []byte) []byte { return strconv.AppendUint(b, uint64(l), 10) }

// MarshalGQL writes the GraphQL scalar Long.
func (l Long) MarshalGQL(w io.Writer) { write(w, l.AppendGQL(nil)) }

// UnmarshalGQL decodes the GraphQL scalar Long.
func (l *Long) UnmarshalGQL(v any) error {
	text, ok := integerText(v)
	if !ok {
		return errLong(Describe(v))
	}
	return l.UnmarshalText([]byte(text))
}

// Uint256 is an unsigned 256-bit integer: a token id or an amount. The zero
// value is 0, and values can be compared with ==.
//
// Its text form is decimal. Decoders accept decimal text of at most 78 digits, a
// 0x-hex quantity of at most 64 digits (leading zeros are allowed in both) and, in JSON
// and GraphQL, an integer literal. In SQL it is one byte with the number of
// significant bytes, followed by those bytes, big-endian. This way byte order is numeric
// order in both SQLite and PostgreSQL, and a typical small id takes 2 or 3 bytes instead
// of 32.
type Uint256 uint256.Int

// NewUint256 returns v as a Uint256.
func NewUint256(v uint64) Uint256 { return Uint256(*uint256.NewInt(v)) }

// Uint256FromWord returns the integer in a big-endian ABI word.
func Uint256FromWord(word [32]byte) Uint256 {
	var u uint256.Int
	u.SetBytes32(word[:])
	return Uint256(u)
}

// ParseUint256 parses decimal text of at most 78 digits or a 0x-hex quantity of
// at most 64 digits, including leading zeros. It fails for anything else and for 2^256
// and above.
func ParseUint256(text string) (Uint256, error) {
	var u uint256.Int
	switch {
	case len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X"):
		digits := strings.TrimLeft(text[2:], "0")
		if len(text) > 66 {
			return Uint256{}, errUint256(Excerpt(text))
		}
		if digits == "" {
			return Uint256{}, nil
		}
		if err := u.SetFromHex("0x" + digits); err != nil {
			return Uint256{}, errUint256(Excerpt(text))
		}
	default:
		// uint256 accepts a sign and any number of leading zeros. The documented form
		// has neither a sign nor more than 78 digits.
		if text == "" || len(text) > maxDigits || strings.ContainsFunc(text, notDecimal) {
			return Uint256{}, errUint256(Excerpt(text))
		}
		if err := u.SetFromDecimal(text); err != nil {
			return Uint256{}, errUint256(Excerpt(text))
		}
	}
	return Uint256(u), nil
}

func notDecimal(r rune) bool { return r < '0' || r > '9' }

func errUint256(got string) error {
	return fmt.Errorf("got %s, want an integer from 0 to 2^256-1, decimal or 0x-hex", got)
}

// Word returns u as a big-endian ABI word.
func (u Uint256) Word() [32]byte { return (*uint256.Int)(&u).Bytes32() }

// Cmp returns -1, 0 or 1 as u is less than, equal to or greater than v.
func (u Uint256) Cmp(v Uint256) int { return (*uint256.Int)(&u).Cmp((*uint256.Int)(&v)) }

// Uint64 returns the lowest 64 bits of u, and whether u fits into them.
func (u Uint256) Uint64() (uint64, bool) {
	i := (*uint256.Int)(&u)
	return i.Uint64(), i.IsUint64()
}

// Plus returns u + n, modulo 2^256, and whether the sum is below 2^256.
func (u Uint256) Plus(n uint64) (Uint256, bool) {
	var sum uint256.Int
	_, overflow := sum.AddOverflow((*uint256.Int)(&u), uint256.NewInt(n))
	return Uint256(sum), !overflow
}

// Minus returns u - v. u must not be less than v.
func (u Uint256) Minus(v Uint256) Uint256 {
	var diff uint256.Int
	diff.Sub((*uint256.Int)(&u), (*uint256.Int)(&v))
	return Uint256(diff)
}

// String returns the decimal form.
func (u Uint256) String() string { return string(u.Append(make([]byte, 0, maxDigits))) }

// maxDigits is the number of decimal digits of 2^256-1.
const maxDigits = 78

// tenTo19 is the largest power of ten that fits into 64 bits.
const tenTo19 = 10_000_000_000_000_000_000

// Append appends the decimal form. Unlike package uint256's functions it does not allocate if
// b has enough capacity.
func (u Uint256) Append(b []byte) []byte {
	if n, ok := u.Uint64(); ok {
		return strconv.AppendUint(b, n, 10)
	}
	// 1. Split off groups of 19 digits, the lowest first. Five groups hold 95 digits.
	var groups [5]uint64
	n := 0
	for ; u != (Uint256{}); n++ {
		for limb := 3; limb >= 0; limb-- {
			u[limb], groups[n] = bits.Div64(groups[n], u[limb], tenTo19)
		}
	}
	// 2. Write the highest group without leading zeros, and the others with them.
	b = strconv.AppendUint(b, groups[n-1], 10)
	for i := n - 2; i >= 0; i-- {
		for least := uint64(tenTo19 / 10); least > 1 && groups[i] < least; least /= 10 {
			b = append(b, '0')
		}
		b = strconv.AppendUint(b, groups[i], 10)
	}
	return b
}

// MarshalText implements [encoding.TextMarshaler]. In JSON the result is a string, because
// most JSON readers would round a number.
func (u Uint256) MarshalText() ([]byte, error) { return u.Append(nil), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (u *Uint256) UnmarshalText(text []byte) error { return set(u, ParseUint256, text) }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts a string or an integer literal.
func (u *Uint256) UnmarshalJSON(data []byte) error {
	text, err := integerJSON(data)
	if err != nil {
		return err
	}
	return u.UnmarshalText(text)
}

// AppendGQL appends the GraphQL scalar: the decimal form in double quotes.
func (u Uint256) AppendGQL(b []byte) []byte { return append(u.Append(append(b, '"')), '"') }

// MarshalGQL writes the GraphQL scalar BigInt.
func (u Uint256) MarshalGQL(w io.Writer) { write(w, u.AppendGQL(nil)) }

// UnmarshalGQL decodes the GraphQL scalar BigInt.
func (u *Uint256) UnmarshalGQL(v any) error {
	text, ok := integerText(v)
	if !ok {
		return errUint256(Describe(v))
	}
	return u.UnmarshalText([]byte(text))
}

// Value implements [driver.Valuer].
func (u Uint256) Value() (driver.Value, error) { return u.Bytes(), nil }

// Bytes returns the SQL form.
func (u Uint256) Bytes() []byte {
	word := u.Word()
	n := (*uint256.Int)(&u).ByteLen()
	return append([]byte{byte(n)}, word[32-n:]...)
}

// Scan implements [sql.Scanner].
func (u *Uint256) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("stored integer: got %T, want bytes", src)
	}
	if len(b) == 0 || len(b) > 33 || int(b[0]) != len(b)-1 || (len(b) > 1 && b[1] == 0) {
		return fmt.Errorf("stored integer: got %d bytes, want a length byte and that many bytes, the first not 0", len(b))
	}
	(*uint256.Int)(u).SetBytes(b[1:])
	return nil
}

// integerText returns the text of a GraphQL input that is a string or an
// integer. Some JSON decoders turn integers into float64, so a float64 is accepted if
// it is whole and from 0 to [MaxLong]; larger ones may have been rounded. A [json.Number] is
// returned as written, including a fraction or exponent.
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

// integerJSON returns the text between the quotes of a JSON string, and any other JSON
// value as written.
func integerJSON(data []byte) ([]byte, error) {
	if len(data) > 0 && data[0] == '"' {
		return unquote(data)
	}
	return data, nil
}
