package evm

import (
	"encoding/hex"
	"fmt"
	"io"
)

// decodeHex fills dst from 0x and exactly 2*len(dst) hex digits of any case.
func decodeHex(dst []byte, text string, what string) error {
	if len(text) != 2+2*len(dst) || text[0] != '0' || (text[1] != 'x' && text[1] != 'X') {
		return fmt.Errorf("invalid %s %s: want 0x and %d hex digits", what, quote(text), 2*len(dst))
	}
	if _, err := hex.Decode(dst, []byte(text[2:])); err != nil {
		return fmt.Errorf("invalid %s %s: want 0x and %d hex digits", what, quote(text), 2*len(dst))
	}
	return nil
}

// appendHex appends 0x and the lower-case hex digits of src.
func appendHex(dst, src []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), src)
}

// appendQuotedHex is appendHex between double quotes.
func appendQuotedHex(dst, src []byte) []byte {
	return append(appendHex(append(dst, '"'), src), '"')
}

// quote shortens input that is echoed in an error, so that a caller can not
// make a message of any size.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// unquote returns the text between the quotes of a JSON string that needs no
// escapes, which is all that hex, decimal and base64url values need.
func unquote(data []byte, what string) (string, error) {
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return "", fmt.Errorf("invalid %s: want a JSON string", what)
	}
	return string(data[1 : len(data)-1]), nil
}

// write sends b to a GraphQL response; gqlgen's writers are memory buffers, so
// the error has no reader.
func write(w io.Writer, b []byte) { _, _ = w.Write(b) }
