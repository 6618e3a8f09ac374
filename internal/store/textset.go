package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/ent/token"
)

// Texts is a set of the texts of a token's metadata, and of what takes as long to
// read: those that are read. Everything else that is known of a token always is.
type Texts uint16

// The texts of a token, in the order of textColumns; TraitCounts: with
// TextAttributes, the counts that the documents leave out; and FetchState: how
// fetching the document went.
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

// textColumns has the column of each text.
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
	// lightToken is how many bytes of texts a token may have to be read with its
	// page. The texts of others are read when their lengths are known to fit.
	lightToken = 8 << 10
	// heldStep is how many bytes of texts may be read before memory is taken for
	// them.
	heldStep = 64 << 10
)

// JSON is the text of a JSON value as it is stored, and sent.
type JSON string

// AppendGQL appends the value.
func (j JSON) AppendGQL(b []byte) []byte { return append(b, j...) }

// MarshalGQL writes the value.
func (j JSON) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, string(j)) }

// UnmarshalGQL fails: the type is for output only.
func (*JSON) UnmarshalGQL(any) error {
	return errors.New("internal error: the type is for output only")
}

// text returns the content of a string.
func (j JSON) text() (string, error) {
	if len(j) > 1 && !strings.Contains(string(j), `\`) {
		return string(j[1 : len(j)-1]), nil
	}
	text, err := jsontext.AppendUnquote(nil, j)
	return string(text), err
}

// Attribute is one trait of a token, as [nft.Attribute] has it.
type Attribute struct {
	TraitType, Value JSON
	// MaxValue is the document's upper range, or nil.
	MaxValue *JSON
	// TraitCount is empty until it is counted, if the document has none.
	TraitCount, Order JSON
}

// parseAttributes splits stored attributes, which encodeAttributes wrote, without
// a look into their values.
func parseAttributes(stored string) ([]Attribute, error) {
	const first = `{"trait_type":`
	// Within a string the quotes would be escaped.
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

// attributeReader reads stored attributes from the left.
type attributeReader struct {
	rest   string
	failed bool
}

// has passes over a text if it comes next.
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

// hash16 names a trait or one of its values, of any length, in 16 bytes.
func hash16(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}
