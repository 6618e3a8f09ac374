package metadata

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
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

// toUTF8 returns a document in UTF-8 that is in the charset of a media type: a
// name of the WHATWG Encoding Standard, by default UTF-8. A byte order mark goes
// before it, and so does valid UTF-8 before Latin-1, which servers name by
// default. It fails for an unknown charset. What is invalid becomes U+FFFD, and the
// result is at most three times as long as body.
func toUTF8(body []byte, mediaType string) ([]byte, error) {
	charset := charsetOf(mediaType)
	if charset == "" || hasByteOrderMark(body) {
		return body, nil
	}
	encoding, err := htmlindex.Get(charset)
	name := "replacement"
	if err == nil {
		name, err = htmlindex.Name(encoding)
	}
	switch {
	case err != nil, name == "replacement":
		// Nothing is read in what the standard calls the replacement encoding.
		return nil, permanent("the document is in the charset %q: want utf-8, or another one of the WHATWG Encoding Standard", charset)
	case name == "utf-8", name == "windows-1252" && utf8.Valid(body):
		return body, nil
	}
	return encoding.NewDecoder().Bytes(body)
}

// charsetOf returns the parameter charset of a media type, or "".
func charsetOf(mediaType string) string {
	for parameter := range strings.SplitSeq(mediaType, ";") {
		if name, value, _ := strings.Cut(parameter, "="); strings.EqualFold(strings.TrimSpace(name), "charset") {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

func hasByteOrderMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xFF, 0xFE}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte("\uFEFF"))
}
