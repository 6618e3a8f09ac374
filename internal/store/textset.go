package store

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/ent/token"
)

// Texts is a set of the parts of a token's metadata to read: texts, and other parts
// that take as long to read. The remaining parts are always read.
type Texts uint16

// The texts of a token, in the order of textColumns. TraitCounts, together with
// TextAttributes, adds the counts that the documents do not contain. FetchState adds
// the result of fetching the document.
const (
	TextName Texts = 1 << iota
	TextBackgroundColor
	TextExternalURL
	TextYoutubeURL
	TextAnimationURL
	TextImage
	TextDescription
	TextAttributes
	TextImageData
	TextURI
	TextRaw
	TraitCounts
	FetchState

	AllTexts = FetchState<<1 - 1
)

// textColumns are the columns of the texts.
var textColumns = [...]string{
	token.FieldName, token.FieldBackgroundColor, token.FieldExternalURL, token.FieldYoutubeURL, token.FieldAnimationURL, token.FieldImage,
	token.FieldDescription, token.FieldAttributes, token.FieldImageData, token.FieldURI, token.FieldRaw,
}

// columns appends the columns of the texts.
func (t Texts) columns(columns []string) []string {
	for rest := t &^ (TraitCounts | FetchState); rest != 0; rest &= rest - 1 {
		columns = append(columns, textColumns[bits.TrailingZeros16(uint16(rest))])
	}
	return columns
}

const (
	// lightToken is the maximum number of bytes of texts of a light token, whose texts are
	// read with its page. Those of heavy tokens are read once their lengths are known to
	// fit.
	lightToken = 8 << 10
	// heldStep is how many bytes of texts may be read before memory is reserved for them.
	heldStep = 64 << 10
)

// JSON is a JSON value as it is stored and sent.
type JSON string

// AppendGQL appends the value.
func (j JSON) AppendGQL(b []byte) []byte { return append(b, j...) }

// MarshalGQL writes the value.
func (j JSON) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, string(j)) }

// UnmarshalGQL fails: the type is for output only.
func (*JSON) UnmarshalGQL(any) error {
	return errors.New("internal error: the type is for output only")
}

// text returns the content of a JSON string.
func (j JSON) text() (string, error) {
	if len(j) > 1 && !strings.Contains(string(j), `\`) {
		return string(j[1 : len(j)-1]), nil
	}
	text, err := jsontext.AppendUnquote(nil, j)
	return string(text), err
}

// Attribute is one trait of a token, like [nft.Attribute].
type Attribute struct {
	TraitType, Value JSON
	// MaxValue is the upper limit in the document, or nil.
	MaxValue *JSON
	// TraitCount is empty if the document does not contain it, until countTraits sets it.
	TraitCount, Order JSON
}

// parseAttributes splits attributes stored by encodeAttributes, without parsing their
// values.
func parseAttributes(stored string) ([]Attribute, error) {
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
func (r *attributeReader) take(n int) JSON {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return JSON(taken)
}

// string returns the next string.
func (r *attributeReader) string() JSON {
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
func (r *attributeReader) number() JSON {
	n := strings.IndexAny(r.rest, ",}")
	if n <= 0 {
		r.failed = true
		return ""
	}
	return r.take(n)
}
