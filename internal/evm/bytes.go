package evm

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Address is a 20-byte account or contract address. Its text form is 0x and 40
// hex digits. Decoders accept any case and do not verify an EIP-55 checksum; encoders
// write lower case. In SQL an address is 20 bytes.
type Address [20]byte

// ParseAddress parses 0x and 40 hex digits of any case.
func ParseAddress(text string) (Address, error) {
	var a Address
	err := decodeHex(a[:], text)
	return a, err
}

// IsZero reports whether a is the zero address, which marks a mint or burn.
func (a Address) IsZero() bool { return a == Address{} }

// Prefix returns the first 8 bytes of a as a signed integer, the part of an
// address that the database indexes.
func (a Address) Prefix() int64 { return int64(binary.BigEndian.Uint64(a[:8])) }

// Suffix returns the 12 bytes after [Address.Prefix].
func (a Address) Suffix() []byte { return a[8:] }

// JoinAddress is the inverse of [Address.Prefix] and [Address.Suffix]. It fails
// if suffix is not 12 bytes long.
func JoinAddress(prefix int64, suffix []byte) (a Address, err error) {
	if len(suffix) != len(a)-8 {
		return a, fmt.Errorf("address suffix: got %d bytes, want %d", len(suffix), len(a)-8)
	}
	binary.BigEndian.PutUint64(a[:8], uint64(prefix))
	copy(a[8:], suffix)
	return a, nil
}

// String returns the text form.
func (a Address) String() string { return string(AppendHex(nil, a[:])) }

// Append appends the text form.
func (a Address) Append(b []byte) []byte { return AppendHex(b, a[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (a Address) MarshalText() ([]byte, error) { return AppendHex(nil, a[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *Address) UnmarshalText(text []byte) error { return decodeHex(a[:], text) }

// UnmarshalJSON implements [json.Unmarshaler]. It fails for null.
func (a *Address) UnmarshalJSON(data []byte) error { return decodeJSON(a[:], data) }

// AppendGQL appends the GraphQL scalar: the text form in double quotes.
func (a Address) AppendGQL(b []byte) []byte { return append(AppendHex(append(b, '"'), a[:]), '"') }

// MarshalGQL writes the GraphQL scalar Address.
func (a Address) MarshalGQL(w io.Writer) { write(w, a.AppendGQL(nil)) }

// UnmarshalGQL decodes the GraphQL scalar Address.
func (a *Address) UnmarshalGQL(v any) error { return decodeGQL(a[:], v) }

// Value implements [driver.Valuer].
func (a Address) Value() (driver.Value, error) { return a[:], nil }

// Scan implements [sql.Scanner].
func (a *Address) Scan(src any) error { return scanBytes(a[:], src, "address") }

// scanBytes copies a database value of exactly len(dst) bytes.
func scanBytes(dst []byte, src any, what string) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("stored %s: got %T, want bytes", what, src)
	}
	if len(b) != len(dst) {
		return fmt.Errorf("stored %s: got %d bytes, want %d", what, len(b), len(dst))
	}
	copy(dst, b)
	return nil
}

// Hash is a 32-byte Keccak-256 hash of a block, a transaction or an event
// signature. EIP-1767 calls its GraphQL scalar Bytes32. Its text form is 0x
// and 64 hex digits. Decoders accept any case; encoders write lower case. In SQL a hash is
// 32 bytes.
type Hash [32]byte

// ParseHash parses 0x and 64 hex digits of any case.
func ParseHash(text string) (Hash, error) {
	var h Hash
	err := decodeHex(h[:], text)
	return h, err
}

// IsZero reports whether h is all zeros, which is not the hash of any known block.
func (h Hash) IsZero() bool { return h == Hash{} }

// Prefix returns the first 8 bytes of h as a signed integer, the part of a
// transaction hash that the database indexes.
func (h Hash) Prefix() int64 { return int64(binary.BigEndian.Uint64(h[:8])) }

// Suffix returns the 24 bytes after [Hash.Prefix].
func (h Hash) Suffix() []byte { return h[8:] }

// JoinHash is the inverse of [Hash.Prefix] and [Hash.Suffix]. It fails if
// suffix is not 24 bytes long.
func JoinHash(prefix int64, suffix []byte) (h Hash, err error) {
	if len(suffix) != len(h)-8 {
		return h, fmt.Errorf("hash suffix: got %d bytes, want %d", len(suffix), len(h)-8)
	}
	binary.BigEndian.PutUint64(h[:8], uint64(prefix))
	copy(h[8:], suffix)
	return h, nil
}

// String returns the text form.
func (h Hash) String() string { return string(AppendHex(nil, h[:])) }

// Append appends the text form.
func (h Hash) Append(b []byte) []byte { return AppendHex(b, h[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return AppendHex(nil, h[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error { return decodeHex(h[:], text) }

// UnmarshalJSON implements [json.Unmarshaler]. It fails for null.
func (h *Hash) UnmarshalJSON(data []byte) error { return decodeJSON(h[:], data) }

// AppendGQL appends the GraphQL scalar: the text form in double quotes.
func (h Hash) AppendGQL(b []byte) []byte { return append(AppendHex(append(b, '"'), h[:]), '"') }

// MarshalGQL writes the GraphQL scalar Bytes32.
func (h Hash) MarshalGQL(w io.Writer) { write(w, h.AppendGQL(nil)) }

// UnmarshalGQL decodes the GraphQL scalar Bytes32.
func (h *Hash) UnmarshalGQL(v any) error { return decodeGQL(h[:], v) }

// Value implements [driver.Valuer].
func (h Hash) Value() (driver.Value, error) { return h[:], nil }

// Scan implements [sql.Scanner].
func (h *Hash) Scan(src any) error { return scanBytes(h[:], src, "hash") }

// Bytes is a byte string of any length, which never changes. EIP-1767 calls its GraphQL scalar Bytes. Its
// text form is 0x and an even number of hex digits. Decoders accept any case; encoders write lower case.
type Bytes string

// AppendGQL appends the GraphQL scalar: the text form in double quotes.
func (b Bytes) AppendGQL(to []byte) []byte {
	return append(AppendHex(append(to, '"'), []byte(b)), '"')
}

// MarshalGQL writes the GraphQL scalar Bytes.
func (b Bytes) MarshalGQL(w io.Writer) { write(w, b.AppendGQL(nil)) }

// UnmarshalGQL decodes the GraphQL scalar Bytes.
func (b *Bytes) UnmarshalGQL(v any) error {
	text, _ := v.(string)
	digits, ok := strings.CutPrefix(text, "0x")
	value, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return fmt.Errorf("got %s, want a string of 0x and an even number of hex digits", Describe(v))
	}
	*b = Bytes(value)
	return nil
}

// decodeHex fills dst, of at most 32 bytes, from 0x and exactly 2*len(dst) hex
// digits of any case. It does not change dst if it fails.
func decodeHex[T string | []byte](dst []byte, text T) error {
	var digits [64]byte
	var value [32]byte
	ok := len(text) == 2+2*len(dst) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
	if ok {
		n, err := hex.Decode(value[:], digits[:copy(digits[:], text[2:])])
		ok = err == nil && n == len(dst)
	}
	if !ok {
		return fmt.Errorf("got %s, want 0x and %d hex digits", Excerpt(string(text)), 2*len(dst))
	}
	copy(dst, value[:])
	return nil
}

// decodeJSON is decodeHex for a JSON string.
func decodeJSON(dst, data []byte) error {
	text, err := unquote(data)
	if err != nil {
		return err
	}
	return decodeHex(dst, text)
}

// decodeGQL is decodeHex for a GraphQL input.
func decodeGQL(dst []byte, v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("got %s, want a string of 0x and %d hex digits", Describe(v), 2*len(dst))
	}
	return decodeHex(dst, text)
}

// AppendHex appends 0x and the lower-case hex digits of src.
func AppendHex(dst, src []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), src)
}

// Excerpt quotes at most 80 bytes of input for an error, so that the length of the message
// is bounded.
func Excerpt(text string) string {
	const most = 80
	if len(text) <= most {
		return strconv.Quote(text)
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(text[:end]) + "…"
}

// Describe describes a GraphQL input value for an error without repeating all of it.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return Excerpt(v)
	case json.Number:
		return strings.ReplaceAll(Excerpt(v.String()), `"`, "")
	case bool, int, int32, int64, uint32, uint64, float64:
		return fmt.Sprint(v)
	case []any:
		return "list"
	case map[string]any:
		return "object"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// set sets a value to the result of parse. It does not change the value after an error.
func set[T any](value *T, parse func(string) (T, error), text []byte) error {
	parsed, err := parse(string(text))
	if err == nil {
		*value = parsed
	}
	return err
}

// unquote returns the bytes between the quotes of a JSON string. It does not decode
// escapes: hex and decimal values need none, and their parsers reject a backslash.
func unquote(data []byte) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, fmt.Errorf("got %s, want a JSON string", Excerpt(string(data)))
	}
	return data[1 : len(data)-1], nil
}

// write writes b to a GraphQL response. gqlgen's writers are memory buffers, which never
// fail.
func write(w io.Writer, b []byte) { _, _ = w.Write(b) }
