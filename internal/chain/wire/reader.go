package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/evm"
)

// Reader reads JSON values from one text after another. It is strict (RFC 8259 grammar,
// UTF-8, depth at most 10,000), except that names which are not read may be repeated,
// because some nodes repeat them.
type Reader struct {
	// AllowInvalidUTF8 accepts strings that are not UTF-8.
	AllowInvalidUTF8 bool

	json *jsontext.Decoder
	text []byte
	name []byte // scratch for a name with escapes
}

// NewReader returns a Reader without text.
func NewReader() *Reader { return &Reader{json: jsontext.NewDecoder(bytes.NewReader(nil))} }

// Reset starts reading a text. The Reader and the values that it returns refer to the
// text.
func (r *Reader) Reset(text []byte) {
	r.text = text
	r.json.Reset(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(r.AllowInvalidUTF8))
}

// Fields are the names of an object's fields to read, at most 64.
type Fields struct {
	// Required are the fields that the object must have.
	Required []string
	// Optional are the fields that it may have.
	Optional []string
	// Unknown, if not nil, is called with each other name, which it must not keep.
	Unknown func(name []byte)
}

// find returns the position of a name among the fields and the name, or -1 if it is not
// one of them.
func (f *Fields) find(name []byte) (int, string) {
	for i, known := range f.Required {
		if string(name) == known {
			return i, known
		}
	}
	for i, known := range f.Optional {
		if string(name) == known {
			return len(f.Required) + i, known
		}
	}
	return -1, ""
}

// Object reads an object. For each of the fields it calls read, which must read the
// value; it skips other values. It fails if a field is repeated or a required one is
// missing.
func (r *Reader) Object(f Fields, read func(name string) error) error {
	if err := r.open('{', "an object"); err != nil {
		return err
	}
	var seen uint64
	for r.json.PeekKind() != '}' {
		quoted, err := r.json.ReadValue()
		if err != nil {
			return r.syntax(err)
		}
		text := r.unquote(quoted)
		i, name := f.find(text)
		if i < 0 {
			if f.Unknown != nil {
				f.Unknown(text)
			}
			if err := r.json.SkipValue(); err != nil {
				return r.syntax(err)
			}
			continue
		}
		if seen&(1<<i) != 0 {
			return fmt.Errorf("%q is given twice", name)
		}
		seen |= 1 << i
		if err := read(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if missing := bits.TrailingZeros64(^seen); missing < len(f.Required) {
		return errors.New("no " + f.Required[missing])
	}
	_, err := r.json.ReadToken()
	return r.syntax(err)
}

// Array reads an array. It calls element, which must read the value, for each element.
// Errors name the element by what and its index.
func (r *Reader) Array(what string, element func(i int) error) error {
	if err := r.open('[', "an array"); err != nil {
		return err
	}
	for i := 0; r.json.PeekKind() != ']'; i++ {
		if err := element(i); err != nil {
			return fmt.Errorf("%s %d: %w", what, i, err)
		}
	}
	_, err := r.json.ReadToken()
	return r.syntax(err)
}

// open reads the beginning of an object or array.
func (r *Reader) open(want jsontext.Kind, what string) error {
	token, err := r.json.ReadToken()
	if err != nil {
		return r.syntax(err)
	}
	if token.Kind() != want {
		return fmt.Errorf("got %s, want %s", describe(token.Kind()), what)
	}
	return nil
}

// Value reads any value and returns it as a part of the text.
func (r *Reader) Value() ([]byte, error) {
	raw, err := r.json.ReadValue()
	if err != nil {
		return nil, r.syntax(err)
	}
	end := r.json.InputOffset()
	return r.text[end-int64(len(raw)) : end], nil
}

// Text reads a string.
func (r *Reader) Text() (string, error) {
	raw, err := r.Value()
	if err != nil {
		return "", err
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("got %s, want a string", describe(jsontext.Kind(raw[0])))
	}
	unquoted, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	return string(unquoted), err
}

// End checks that nothing follows the value.
func (r *Reader) End() error {
	if _, err := r.json.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("unexpected data after the JSON value, at byte %d", r.json.InputOffset()+1)
	}
	return nil
}

// unquote returns a name without quotes and escapes.
func (r *Reader) unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	// The decoder has already validated the escapes.
	r.name, _ = jsontext.AppendUnquote(r.name[:0], quoted)
	return r.name
}

// syntax returns an error with the position at which a text is not JSON, or nil. It drops
// the decoder's own message, whose path of names may have any length.
func (r *Reader) syntax(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("invalid JSON: the line ends within a value")
	}
	var at *jsontext.SyntacticError
	if errors.As(err, &at) {
		return fmt.Errorf("invalid JSON at byte %d: %w", at.ByteOffset+1, at.Err)
	}
	return fmt.Errorf("invalid JSON: %w", err)
}

// describe returns the name of a kind of JSON value.
func describe(kind jsontext.Kind) string {
	return cmp.Or(kinds[kind], "a number")
}

var kinds = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", 'n': "null", 't': "a boolean", 'f': "a boolean",
}

// IsNull reports whether a value is absent or null.
func IsNull(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }

// excerpt returns the beginning of a value for an error message.
func excerpt(raw []byte) string { return evm.Excerpt(string(raw)) }
