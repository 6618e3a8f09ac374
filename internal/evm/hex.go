package evm

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// decodeHex fills dst, of at most 32 bytes, from 0x and exactly 2*len(dst) hex
// digits of any case. It leaves dst alone when it fails.
func decodeHex[T string | []byte](dst []byte, text T, what string) error {
	var value [32]byte
	ok := len(text) == 2+2*len(dst) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
	for i := 0; ok && i < len(dst); i++ {
		high, low := nibble(text[2+2*i]), nibble(text[3+2*i])
		ok = high|low < 16
		value[i] = high<<4 | low
	}
	if !ok {
		return fmt.Errorf("invalid %s %s: want 0x and %d hex digits", what, quote(string(text)), 2*len(dst))
	}
	copy(dst, value[:])
	return nil
}

// nibble returns the value of a hex digit, or 255.
func nibble(digit byte) byte {
	switch {
	case '0' <= digit && digit <= '9':
		return digit - '0'
	case 'a' <= digit && digit <= 'f':
		return digit - 'a' + 10
	case 'A' <= digit && digit <= 'F':
		return digit - 'A' + 10
	default:
		return 255
	}
}

// appendHex appends 0x and the lower-case hex digits of src.
func appendHex(dst, src []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), src)
}

// quotedHex returns 0x and the lower-case hex digits of src between double quotes.
func quotedHex(src []byte) []byte {
	return append(appendHex([]byte{'"'}, src), '"')
}

// quote shortens input that is echoed in an error, so that a caller can not
// make a message of any size.
func quote(text string) string {
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

// describe names a GraphQL input value in an error without echoing all of it.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case json.Number:
		return quote(v.String())
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

// unquote returns the bytes between the quotes of a JSON string that needs no
// escapes, which is all that hex and decimal values need. An escape is left in
// place, where it is neither a hex nor a decimal digit.
func unquote(data []byte, what string) ([]byte, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return nil, fmt.Errorf("invalid %s %s: want a JSON string", what, quote(string(data)))
	}
	return data[1 : len(data)-1], nil
}

// write sends b to a GraphQL response; gqlgen's writers are memory buffers, so
// the error has no reader.
func write(w io.Writer, b []byte) { _, _ = w.Write(b) }
