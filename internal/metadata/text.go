package metadata

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Text returns the bytes of a document as valid UTF-8 text without a byte
// order mark, which is also the form to keep. A UTF-16 byte order mark (either
// byte order) makes it read as UTF-16, anything else as UTF-8 (RFC 8259,
// section 8.1). What is invalid in either becomes U+FFFD. The text is at most
// three times as long as body; U+0000 is kept, and no JSON document has it.
func Text(body []byte) string {
	if bytes.HasPrefix(body, []byte{0xFF, 0xFE}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) {
		body, _ = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(body) // it replaces what is invalid
		return string(body)
	}
	return strings.ToValidUTF8(string(bytes.TrimPrefix(body, []byte("\uFEFF"))), "\uFFFD")
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
