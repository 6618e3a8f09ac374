package store

import (
	"math/bits"
	"mintburn/ent/token"
)

// Texts is a set of the texts of a token's metadata: those that are read.
// Everything else that is known of a token is small and always read.
type Texts uint16

// The texts of a token, in the order of textColumns, and TraitCounts: with
// TextAttributes, the counts that the documents leave out.
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

	AllTexts = TraitCounts<<1 - 1
)

// textColumns has the column of each text.
var textColumns = [...]string{
	token.FieldName, token.FieldBackgroundColor, token.FieldExternalURL, token.FieldYoutubeURL, token.FieldAnimationURL, token.FieldImage,
	token.FieldDescription, token.FieldAttributes, token.FieldImageData, token.FieldURI, token.FieldRaw,
}

// columns appends the columns of the texts.
func (t Texts) columns(columns []string) []string {
	for rest := t &^ TraitCounts; rest != 0; rest &= rest - 1 {
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
