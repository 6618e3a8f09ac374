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
	// id replaces {id}, unless it is empty.
	id string
	// added counts the bytes that replacing {id} has added.
	added int
	// err is the first error. After it, text returns "".
	err error
}

// text returns the content of a string, the JSON text of a number or boolean, compact
// JSON for an object or array, and "" for null or a missing value.
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

// replaceID replaces {id} if r.id is set. It checks the size first, because a document
// of nothing but placeholders would grow to 16 times its size.
func (r *reader) replaceID(text string) string {
	if r.id == "" {
		return text
	}
	r.added += strings.Count(text, placeholder) * (len(r.id) - len(placeholder))
	if r.added > MaxDocument {
		r.err = errTooLarge()
		return ""
	}
	return strings.ReplaceAll(text, placeholder, r.id)
}

// kind returns the first byte of a JSON value, which identifies its type, or 0 for
// a missing value.
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

// compact returns an object or array without white space. It keeps digits, escapes and
// order.
func (r *reader) compact(value json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, value); err != nil {
		r.err = fmt.Errorf("reading a JSON value: %w", err)
	}
	return out.String()
}

// storable replaces U+0000, which a PostgreSQL text cannot hold, by U+FFFD.
func storable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// pick returns the members of a JSON object with these names. If a name is repeated, it
// returns the last value.
func pick(object json.RawMessage, names ...string) (map[string]json.RawMessage, error) {
	picked := make(map[string]json.RawMessage, len(names))
	err := each(object, func(name string, value json.RawMessage) error {
		if slices.Contains(names, name) {
			picked[name] = value
		}
		return nil
	})
	return picked, err
}

// each calls visit in order with each member of a JSON object, or with each element of a
// JSON array and an empty name. It stops at the first error.
func each(whole json.RawMessage, visit func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(whole))
	begin, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		if begin == json.Delim('{') {
			name, err = d.Token()
		}
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err == nil {
			text, _ := name.(string)
			err = visit(text, value)
		}
	}
	return err
}
