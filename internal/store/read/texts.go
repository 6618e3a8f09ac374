package read

import (
	"errors"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/ent/token"
	"mintburn/internal/store/tables"
)

// Texts is a set of the parts of a token's metadata to read: texts, and other parts
// that take as long to read. The remaining parts are always read.
type Texts uint32

// The texts of a token that are not among those of [tables.Texts], which [TextOf] returns.
// TraitCounts, together with TextAttributes, adds the counts that the documents do not contain, as TextDisplayTypes adds
// how the attributes are shown. FetchState adds the result of fetching the document, Cause why
// it was stored.
const (
	TextAttributes Texts = 1 << (len(tables.Texts) + iota)
	TextURI
	TextRaw
	TextDisplayTypes
	TraitCounts
	FetchState
	Cause

	AllTexts = Cause<<1 - 1
)

// TextColumns are the columns of the texts, in the order of their bits.
var TextColumns = func() (columns []string) {
	for _, text := range tables.Texts {
		columns = append(columns, text.Column)
	}
	return append(columns, token.FieldAttributes, token.FieldURI, token.FieldRaw, token.FieldDisplayTypes)
}()

// TextOf returns the text of a column of [TextColumns].
func TextOf(column string) Texts { return 1 << slices.Index(TextColumns, column) }

// Columns appends the columns of the texts.
func (t Texts) Columns(columns []string) []string {
	for rest := t &^ (TraitCounts | FetchState | Cause); rest != 0; rest &= rest - 1 {
		columns = append(columns, TextColumns[bits.TrailingZeros32(uint32(rest))])
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
