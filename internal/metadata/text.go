package metadata

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Text returns the bytes of a document as valid UTF-8 text without a byte
// order mark, which is also the form to keep. A UTF-16 byte order mark (either
// byte order) makes it read as UTF-16, anything else as UTF-8 (RFC 8259,
// section 8.1). What is invalid in either becomes U+FFFD. The text is at most
// three times as long as body; U+0000 is kept, and no JSON document has it.
func Text(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		return fromUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return fromUTF16(body[2:], binary.BigEndian)
	default:
		body = bytes.TrimPrefix(body, []byte("\uFEFF"))
		return strings.ToValidUTF8(string(body), "\uFFFD")
	}
}

func fromUTF16(body []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, (len(body)+1)/2)
	for len(body) >= 2 {
		units = append(units, order.Uint16(body))
		body = body[2:]
	}
	if len(body) == 1 {
		units = append(units, 0xFFFD)
	}
	return string(utf16.Decode(units))
}
