package tables_test

import (
	"math/rand/v2"
	"testing"

	"mintburn/ent"
	"mintburn/internal/store/tables"
)

// TestCutRaw_Random cuts random texts, in which markers, quotes and texts overlap, and joins
// them again.
func TestCutRaw_Random(t *testing.T) {
	t.Parallel()
	random, parts := rand.New(rand.NewPCG(1, 2)), []string{`"`, `\`, `\1`, `1`, `2`, `"a"`, `"\2"`, `a`, `,`}
	text := func(most int) (text string) {
		for range random.IntN(most) {
			text += parts[random.IntN(len(parts))]
		}
		return text
	}
	cut := 0
	for n := range 200_000 {
		var texts [len(tables.Texts)]*string
		for i := range texts {
			if part := text(4); random.IntN(2) == 0 {
				texts[i] = &part
			}
		}
		raw := "{" + text(20)
		if n == 0 {
			// The second text matches the mark of the first one.
			first, second := "a", `\1,`
			raw, texts = `{""a","`, [len(tables.Texts)]*string{&first, &second}
		}
		row := &ent.Token{Raw: tables.CutRaw(raw, texts[:])}
		for i, text := range tables.Texts {
			*text.Row(row) = texts[i]
		}
		if got := tables.WholeRaw(row); got != raw {
			t.Fatalf("%q is stored as %q and read as %q", raw, row.Raw, got)
		}
		if row.Raw != raw {
			cut++
		}
	}
	if cut < 1_000 {
		t.Errorf("%d texts were cut, want more", cut)
	}
}
