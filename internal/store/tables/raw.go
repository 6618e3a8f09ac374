package tables

import (
	"fmt"
	"strings"

	"mintburn/ent"
	"mintburn/ent/token"
)

// LightToken is the maximum number of bytes of texts of a light token, whose texts are read
// with its page and stored once. Those of heavy tokens are read once their lengths are known
// to fit, so a length must be known without reading texts.
const LightToken = 8 << 10

// RawTexts are the texts of a token that its document contains, in the order of rawTexts.
// Absent ones are nil.
type RawTexts [8]*string

// rawTexts are the columns of RawTexts.
var rawTexts = [len(RawTexts{})]string{
	token.FieldName, token.FieldDescription, token.FieldImage, token.FieldExternalURL, token.FieldImageData,
	token.FieldBackgroundColor, token.FieldYoutubeURL, token.FieldAnimationURL,
}

// rawMarks stand for the texts in a stored document.
var rawMarks = [len(RawTexts{})]string{`\1`, `\2`, `\3`, `\4`, `\5`, `\6`, `\7`, `\8`}

// CutRaw returns the stored form of a document: a backslash, with which no JSON begins, and
// the document, in which \1 stands for the first text with its quotes, and so on. It returns
// the document if that form is longer or the document contains such a mark itself.
func CutRaw(raw string, texts RawTexts) string {
	cut := `\` + raw
	for i, text := range texts {
		if strings.Contains(raw, rawMarks[i]) {
			return raw
		}
		if text == nil || strings.Contains(*text, `\`) {
			continue
		}
		if before, after, found := strings.Cut(cut, `"`+*text+`"`); found {
			cut = before + rawMarks[i] + after
		}
	}
	if len(cut) > len(raw) && !strings.HasPrefix(raw, `\`) {
		return raw
	}
	return cut
}

// WholeRaw returns the document of a row.
func WholeRaw(t *ent.Token) string {
	whole, cut := strings.CutPrefix(t.Raw, `\`)
	for i, text := range (RawTexts{t.Name, t.Description, t.Image, t.ExternalURL, t.ImageData, t.BackgroundColor, t.YoutubeURL, t.AnimationURL}) {
		if cut && text != nil {
			whole = strings.ReplaceAll(whole, rawMarks[i], `"`+*text+`"`)
		}
	}
	return whole
}

// WholeRawSQL returns WholeRaw as an expression, like the view v_tokens. name returns the name
// of a column.
func WholeRawSQL(name func(column string) string) string {
	raw := name(token.FieldRaw)
	whole := "substr(" + raw + ", 2)"
	for i, column := range rawTexts {
		whole = fmt.Sprintf(`replace(%s, '%s', COALESCE('"' || %s || '"', '%[2]s'))`, whole, rawMarks[i], name(column))
	}
	return fmt.Sprintf(`CASE WHEN substr(%s, 1, 1) = '\' THEN %s ELSE %[1]s END`, raw, whole)
}
