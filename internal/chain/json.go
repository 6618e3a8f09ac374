package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// unknown is the field of a name that is not read.
const unknown = -1

// fields is a set of fields, the numbers that a lookup gives to names.
type fields uint32

func (f fields) has(field int) bool { return f&(1<<field) != 0 }

// reader walks the JSON value of one line. It is strict (RFC 8259: grammar,
// UTF-8, depth at most 10,000), except that unknown names may be repeated.
type reader struct {
	json *jsontext.Decoder
	line []byte
	name []byte // scratch for a name with escapes
}

func newReader() reader { return reader{json: jsontext.NewDecoder(bytes.NewReader(nil))} }

func (r *reader) reset(line []byte) {
	r.line = line
	// A name that is read may not be repeated, which object checks; some nodes
	// do repeat others.
	r.json.Reset(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true))
}

// object reads an object: it calls visit, which must read the value, for each
// name that lookup knows, and skips the others. It returns the fields it saw.
func (r *reader) object(lookup func(name []byte) int, visit func(field int) error) (seen fields, err error) {
	if err := r.open('{', "an object"); err != nil {
		return 0, err
	}
	for r.json.PeekKind() != '}' {
		name, err := r.json.ReadValue()
		if err != nil {
			return seen, r.syntax(err)
		}
		field := lookup(r.unquoteName(name))
		if field == unknown {
			if err := r.json.SkipValue(); err != nil {
				return seen, r.syntax(err)
			}
			continue
		}
		if seen.has(field) {
			return seen, fmt.Errorf("%s is given twice", excerpt(r.name))
		}
		seen |= 1 << field
		if err := visit(field); err != nil {
			return seen, err
		}
	}
	_, err = r.json.ReadToken()
	return seen, r.syntax(err)
}

// array reads an array: it calls element, which must read the value, for each.
func (r *reader) array(element func(i int) error) error {
	if err := r.open('[', "an array"); err != nil {
		return err
	}
	for i := 0; r.json.PeekKind() != ']'; i++ {
		if err := element(i); err != nil {
			return err
		}
	}
	_, err := r.json.ReadToken()
	return r.syntax(err)
}

// open reads the beginning of an object or array.
func (r *reader) open(want jsontext.Kind, what string) error {
	token, err := r.json.ReadToken()
	if err != nil {
		return r.syntax(err)
	}
	if token.Kind() != want {
		return fmt.Errorf("got %s, want %s", describe(token.Kind()), what)
	}
	return nil
}

// value reads any value and returns its text, which is a part of the line.
func (r *reader) value() ([]byte, error) {
	raw, err := r.json.ReadValue()
	if err != nil {
		return nil, r.syntax(err)
	}
	end := r.json.InputOffset()
	return r.line[end-int64(len(raw)) : end], nil
}

// text reads a string.
func (r *reader) text() (string, error) {
	raw, err := r.value()
	if err != nil {
		return "", err
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("got %s, want a string", describe(jsontext.Kind(raw[0])))
	}
	unquoted, err := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
	return string(unquoted), err
}

// end checks that nothing follows the value.
func (r *reader) end() error {
	if _, err := r.json.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the line goes on after its JSON value, at byte %d", r.json.InputOffset()+1)
	}
	return nil
}

// unquoteName returns what a name means. It stays in r.name for errors.
func (r *reader) unquoteName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		r.name = append(r.name[:0], raw[1:len(raw)-1]...)
		return r.name
	}
	// The decoder has checked the escapes.
	r.name, _ = jsontext.AppendUnquote(r.name[:0], raw)
	return r.name
}

// syntax says where a line is not JSON. The decoder's own message is left out:
// it holds the path of names to the place, which can be of any length.
func (r *reader) syntax(err error) error {
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

// describe names a kind of JSON value.
func describe(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}
