package metadata

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Text returns the bytes of a document as valid UTF-8 text without a byte order
// mark. This is also the form in which documents are stored. It reads a document with a
// UTF-16 byte order mark (either byte order) as UTF-16, and any other as UTF-8 (RFC 8259,
// section 8.1). Invalid sequences become U+FFFD. The text is at most three times as long
// as body. U+0000 is kept; valid JSON does not contain it.
func Text(body []byte) string {
	if bytes.HasPrefix(body, []byte{0xFF, 0xFE}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) {
		body, _ = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(body) // the decoder replaces invalid sequences and never fails
		return string(body)
	}
	return strings.ToValidUTF8(string(bytes.TrimPrefix(body, []byte("\uFEFF"))), "\uFFFD")
}

// toUTF8 converts a document from the charset of a media type to UTF-8. The charset is a
// name from the WHATWG Encoding Standard and defaults to UTF-8. A byte order mark takes
// precedence over it, and so do the bytes if they are JSON in valid UTF-8 (RFC 8259, sections
// 8.1 and 11). toUTF8 fails for an unknown charset. Invalid sequences become U+FFFD, and the
// result is at most three times as long as body.
func toUTF8(body []byte, mediaType string) ([]byte, error) {
	charset := charsetOf(mediaType)
	if charset == "" || hasByteOrderMark(body) || utf8.Valid(body) && json.Valid(bytes.TrimFunc(body, isBlank)) {
		return body, nil
	}
	encoding, err := htmlindex.Get(charset)
	name := "replacement"
	if err == nil {
		name, err = htmlindex.Name(encoding)
	}
	switch {
	case err != nil, name == "replacement":
		// The standard's replacement encoding decodes nothing.
		return nil, permanent("the document has charset %q: want one of the WHATWG Encoding Standard, such as utf-8", charset)
	case name == "utf-8":
		return body, nil
	}
	return encoding.NewDecoder().Bytes(body)
}

// charsetOf returns the charset parameter of a media type, or "".
func charsetOf(mediaType string) string {
	for parameter := range strings.SplitSeq(mediaType, ";") {
		if name, value, _ := strings.Cut(parameter, "="); strings.EqualFold(strings.TrimSpace(name), "charset") {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// isBlank reports whether r is white space of JSON or U+FEFF, which some programs write around
// texts, not only at their start.
func isBlank(r rune) bool { return strings.ContainsRune(" \t\r\n\uFEFF", r) }

func hasByteOrderMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0xFF, 0xFE}) || bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte("\uFEFF"))
}
