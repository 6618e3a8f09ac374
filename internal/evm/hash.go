package evm

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
)

// Hash is a 32-byte Keccak-256 hash, of a block, a transaction or an event
// signature; EIP-1767 calls its GraphQL scalar Bytes32. Its text form is 0x
// and 64 hex digits: any case is read, lower case is written. In SQL it is 32
// bytes.
type Hash [32]byte

// ParseHash reads 0x and 64 hex digits of any case.
func ParseHash(text string) (Hash, error) {
	var h Hash
	err := decodeHex(h[:], text, "hash")
	return h, err
}

// IsZero reports whether h is all zeros, which no known block has as its hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// Head returns the first 8 bytes of h as a signed integer, the part of a
// transaction hash that the database indexes.
func (h Hash) Head() int64 { return int64(binary.BigEndian.Uint64(h[:8])) }

// Tail returns the 24 bytes that [Hash.Head] leaves out.
func (h Hash) Tail() []byte { return h[8:] }

// JoinHash is the inverse of [Hash.Head] and [Hash.Tail]. It fails when tail
// is not 24 bytes long.
func JoinHash(head int64, tail []byte) (Hash, error) {
	var h Hash
	if len(tail) != len(h)-8 {
		return h, fmt.Errorf("hash tail of %d bytes: want %d", len(tail), len(h)-8)
	}
	binary.BigEndian.PutUint64(h[:8], uint64(head))
	copy(h[8:], tail)
	return h, nil
}

// String returns the text form.
func (h Hash) String() string { return string(appendHex(nil, h[:])) }

// AppendText implements [encoding.TextAppender].
func (h Hash) AppendText(b []byte) ([]byte, error) { return appendHex(b, h[:]), nil }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return appendHex(nil, h[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error { return decodeHex(h[:], text, "hash") }

// MarshalJSON implements [json.Marshaler].
func (h Hash) MarshalJSON() ([]byte, error) { return quotedHex(h[:]), nil }

// UnmarshalJSON implements [json.Unmarshaler]; null is refused.
func (h *Hash) UnmarshalJSON(data []byte) error {
	text, err := unquote(data, "hash")
	if err != nil {
		return err
	}
	return decodeHex(h[:], text, "hash")
}

// AppendGQL appends the GraphQL scalar: the text form between double quotes.
func (h Hash) AppendGQL(b []byte) []byte { return append(appendHex(append(b, '"'), h[:]), '"') }

// MarshalGQL writes the GraphQL scalar Bytes32.
func (h Hash) MarshalGQL(w io.Writer) { write(w, h.AppendGQL(nil)) }

// UnmarshalGQL reads the GraphQL scalar Bytes32.
func (h *Hash) UnmarshalGQL(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("invalid Bytes32 %s: want a string of 0x and 64 hex digits", describe(v))
	}
	return decodeHex(h[:], text, "Bytes32")
}

// Value implements [driver.Valuer].
func (h Hash) Value() (driver.Value, error) { return h[:], nil }

// Scan implements [sql.Scanner].
func (h *Hash) Scan(src any) error { return scanBytes(h[:], src, "hash") }
