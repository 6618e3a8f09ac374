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

// rawMark stands for text i of [Texts] in a stored document.
func rawMark(i int) string { return `\` + "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i:i+1] }

// CutRaw returns the stored form of a document: a backslash, with which no JSON begins, and
// the document, in which \1 stands for the first text with its quotes, and so on. It returns
// the document if that form is longer or the document contains such a mark itself. texts are
// those of [Texts], nil for absent ones.
func CutRaw(raw string, texts []*string) string {
	cut := `\` + raw
	for i, text := range texts {
		if strings.Contains(raw, rawMark(i)) {
			return raw
		}
		if text == nil || strings.Contains(*text, `\`) {
			continue
		}
		if before, after, found := strings.Cut(cut, `"`+*text+`"`); found {
			cut = before + rawMark(i) + after
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
	for i, text := range Texts {
		if text := *text.Row(t); cut && text != nil {
			whole = strings.ReplaceAll(whole, rawMark(i), `"`+*text+`"`)
		}
	}
	return whole
}

// WholeRawSQL returns WholeRaw as an expression, like the view v_tokens. name returns the name
// of a column.
func WholeRawSQL(name func(column string) string) string {
	raw := name(token.FieldRaw)
	whole := "substr(" + raw + ", 2)"
	for i, text := range Texts {
		whole = fmt.Sprintf(`replace(%s, '%s', COALESCE('"' || %s || '"', '%[2]s'))`, whole, rawMark(i), name(text.Column))
	}
	return fmt.Sprintf(`CASE WHEN substr(%s, 1, 1) = '\' THEN %s ELSE %[1]s END`, raw, whole)
}
