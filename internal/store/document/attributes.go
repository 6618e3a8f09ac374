package document

import (
	"fmt"
	"strings"

	"mintburn/internal/store/read"
)

// Attribute is one trait of a token, like [nft.Attribute].
type Attribute struct {
	TraitType, Value read.JSON
	// MaxValue is the upper limit in the document, or nil.
	MaxValue *read.JSON
	// TraitCount is empty if the document does not contain it, until countTraits sets it.
	TraitCount, Order read.JSON
	// DisplayType is nil if the document has none.
	DisplayType *read.JSON
}

// ParseDisplayTypes sets the display types of attributes from their stored form, a JSON array
// with a string for each attribute, "" for none.
func ParseDisplayTypes(attributes []Attribute, stored string) error {
	r := attributeReader{rest: stored}
	for i := range attributes {
		r.want([]string{"[", ","}[min(i, 1)])
		if text := r.string(); text != `""` {
			attributes[i].DisplayType = &text
		}
	}
	r.want("]")
	if r.failed || r.rest != "" {
		return fmt.Errorf("stored display types are broken %d bytes before their end", len(r.rest))
	}
	return nil
}

// ParseAttributes splits attributes stored by encodeAttributes, without parsing their
// values.
func ParseAttributes(stored string) ([]Attribute, error) {
	const first = `{"trait_type":`
	// This cannot occur in a string, where the quotes are escaped.
	list := make([]Attribute, strings.Count(stored, first))
	r := attributeReader{rest: stored}
	r.want("[")
	for i := range list {
		a := &list[i]
		if i > 0 {
			r.want(",")
		}
		r.want(first)
		a.TraitType = r.string()
		r.want(`,"value":`)
		a.Value = r.string()
		if r.has(`,"max_value":`) {
			number := r.number()
			a.MaxValue = &number
		}
		if r.has(`,"trait_count":`) {
			a.TraitCount = r.number()
		}
		r.want(`,"order":`)
		a.Order = r.number()
		r.want("}")
	}
	r.want("]")
	r.has("\n") // The encoder's.
	if r.failed || r.rest != "" {
		return nil, fmt.Errorf("stored attributes are broken %d bytes before their end", len(r.rest))
	}
	return list, nil
}

// attributeReader reads stored attributes from left to right.
type attributeReader struct {
	rest   string
	failed bool
}

// has skips a text if it comes next, and reports whether it did.
func (r *attributeReader) has(text string) bool {
	rest, found := strings.CutPrefix(r.rest, text)
	r.rest = rest
	return found
}

func (r *attributeReader) want(text string) { r.failed = !r.has(text) || r.failed }

// take returns the next n bytes.
func (r *attributeReader) take(n int) read.JSON {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return read.JSON(taken)
}

// string returns the next string.
func (r *attributeReader) string() read.JSON {
	for i := 1; i < len(r.rest); i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '"':
			return r.take(i + 1)
		}
	}
	r.failed = true
	return ""
}

// number returns the next number.
func (r *attributeReader) number() read.JSON {
	n := strings.IndexAny(r.rest, ",}")
	if n <= 0 {
		r.failed = true
		return ""
	}
	return r.take(n)
}
