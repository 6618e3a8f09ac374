package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// reader turns the JSON values of one document into text.
type reader struct {
	// id is what replaces {id}; empty where nothing is replaced.
	id string
	// grown counts the bytes that replacing has added.
	grown int
	// err is the first error; text is "" from then on.
	err error
}

// text returns a string's content, a number's or boolean's JSON text, compact
// JSON for an object or array, and "" for null and a missing value.
func (r *reader) text(value json.RawMessage) string {
	if r.err != nil {
		return ""
	}
	switch kind(value) {
	case 0, 'n':
		return ""
	case '"':
		return r.replaceID(r.unquote(value))
	case '{', '[':
		return r.replaceID(r.compact(value))
	default:
		return string(value)
	}
}

// replaceID replaces {id} if r.id is set. It counts first: a document
// of nothing but placeholders would grow to 16 times its size.
func (r *reader) replaceID(text string) string {
	if r.id == "" {
		return text
	}
	r.grown += strings.Count(text, placeholder) * (len(r.id) - len(placeholder))
	if r.grown > MaxDocument {
		r.err = errTooLarge()
		return ""
	}
	return strings.ReplaceAll(text, placeholder, r.id)
}

// kind returns the first byte of a JSON value, which tells its type, or 0 for
// a missing one.
func kind(value json.RawMessage) byte {
	if len(value) == 0 {
		return 0
	}
	return value[0]
}

// unquote returns the content of a JSON string.
func (r *reader) unquote(value json.RawMessage) string {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		r.err = fmt.Errorf("reading a JSON string: %w", err)
	}
	return storable(text)
}

// compact returns an object or array without white space, its digits, escapes
// and order untouched.
func (r *reader) compact(value json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, value); err != nil {
		r.err = fmt.Errorf("reading a JSON value: %w", err)
	}
	return out.String()
}

// storable replaces U+0000, which a PostgreSQL text cannot hold, by the sign
// for what cannot be shown.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// pick returns the members of a JSON object by these names, the last of equal
// names.
func pick(object json.RawMessage, names ...string) (map[string]json.RawMessage, error) {
	picked := make(map[string]json.RawMessage, len(names))
	err := eachMember(object, func(name string, value json.RawMessage) error {
		if slices.Contains(names, name) {
			picked[name] = value
		}
		return nil
	})
	return picked, err
}

// eachMember calls visit with each member of a JSON object, in its order, and
// stops at the first error.
func eachMember(object json.RawMessage, visit func(name string, value json.RawMessage) error) error {
	return eachValue(object, func(d *json.Decoder) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := token.(string)
		return visit(name, value)
	})
}

// eachElement calls visit with each element of a JSON array, in its order, and
// stops at the first error.
func eachElement(array json.RawMessage, visit func(value json.RawMessage) error) error {
	return eachValue(array, func(d *json.Decoder) error {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		return visit(value)
	})
}

// eachValue opens a JSON object or array and calls next until it ends.
func eachValue(whole json.RawMessage, next func(*json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(whole))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		if err := next(d); err != nil {
			return err
		}
	}
	return nil
}
