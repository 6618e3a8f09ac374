package evm

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
)

// Address is a 20-byte account or contract address. Its text form is 0x and 40
// hex digits: any case is read (an EIP-55 checksum is not checked), lower case
// is written. In SQL it is 20 bytes.
type Address [20]byte

// ParseAddress reads 0x and 40 hex digits of any case.
func ParseAddress(text string) (Address, error) {
	var a Address
	err := decodeHex(a[:], text, "address")
	return a, err
}

// IsZero reports whether a is the zero address, the sign of a mint or burn.
func (a Address) IsZero() bool { return a == Address{} }

// Head returns the first 8 bytes of a as a signed integer, the part of an
// address that the database indexes.
func (a Address) Head() int64 { return int64(binary.BigEndian.Uint64(a[:8])) }

// Tail returns the 12 bytes that [Address.Head] leaves out.
func (a Address) Tail() []byte { return a[8:] }

// JoinAddress is the inverse of [Address.Head] and [Address.Tail]. It fails
// when tail is not 12 bytes long.
func JoinAddress(head int64, tail []byte) (Address, error) {
	var a Address
	if len(tail) != len(a)-8 {
		return a, fmt.Errorf("address tail of %d bytes: want %d", len(tail), len(a)-8)
	}
	binary.BigEndian.PutUint64(a[:8], uint64(head))
	copy(a[8:], tail)
	return a, nil
}

// String returns the text form.
func (a Address) String() string { return string(appendHex(nil, a[:])) }

// AppendText implements [encoding.TextAppender].
func (a Address) AppendText(b []byte) ([]byte, error) { return appendHex(b, a[:]), nil }

// MarshalText implements [encoding.TextMarshaler].
func (a Address) MarshalText() ([]byte, error) { return appendHex(nil, a[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *Address) UnmarshalText(text []byte) error {
	return decodeHex(a[:], text, "address")
}

// MarshalJSON implements [json.Marshaler].
func (a Address) MarshalJSON() ([]byte, error) { return quotedHex(a[:]), nil }

// UnmarshalJSON implements [json.Unmarshaler]; null is refused.
func (a *Address) UnmarshalJSON(data []byte) error {
	text, err := unquote(data, "address")
	if err != nil {
		return err
	}
	return decodeHex(a[:], text, "address")
}

// AppendGQL appends the GraphQL scalar: the text form between double quotes.
func (a Address) AppendGQL(b []byte) []byte { return append(appendHex(append(b, '"'), a[:]), '"') }

// MarshalGQL writes the GraphQL scalar Address.
func (a Address) MarshalGQL(w io.Writer) { write(w, a.AppendGQL(nil)) }

// UnmarshalGQL reads the GraphQL scalar Address.
func (a *Address) UnmarshalGQL(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("invalid Address %s: want a string of 0x and 40 hex digits", describe(v))
	}
	return decodeHex(a[:], text, "Address")
}

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
