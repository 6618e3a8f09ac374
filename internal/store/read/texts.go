package read

import (
	"errors"
	"io"
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/ent/token"
)

// Texts is a set of the parts of a token's metadata to read: texts, and other parts
// that take as long to read. The remaining parts are always read.
type Texts uint16

// The texts of a token, in the order of TextColumns. TraitCounts, together with
// TextAttributes, adds the counts that the documents do not contain. FetchState adds
// the result of fetching the document, Cause why it was stored.
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
	Cause

	AllTexts = Cause<<1 - 1
)

// TextColumns are the columns of the texts.
var TextColumns = [...]string{
	token.FieldName, token.FieldBackgroundColor, token.FieldExternalURL, token.FieldYoutubeURL, token.FieldAnimationURL, token.FieldImage,
	token.FieldDescription, token.FieldAttributes, token.FieldImageData, token.FieldURI, token.FieldRaw,
}

// Columns appends the columns of the texts.
func (t Texts) Columns(columns []string) []string {
	for rest := t &^ (TraitCounts | FetchState | Cause); rest != 0; rest &= rest - 1 {
		columns = append(columns, TextColumns[bits.TrailingZeros16(uint16(rest))])
	}
	return columns
}

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

// Text returns the content of a JSON string.
func (j JSON) Text() (string, error) {
	if len(j) > 1 && !strings.Contains(string(j), `\`) {
		return string(j[1 : len(j)-1]), nil
	}
	text, err := jsontext.AppendUnquote(nil, j)
	return string(text), err
}
