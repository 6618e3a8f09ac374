package tables

import (
	"bytes"
	"slices"
	"unicode"

	"golang.org/x/text/cases"

	"mintburn/ent"
	"mintburn/internal/evm"
)

const (
	// MaxWords is how many words of a collection's name a search finds, the first ones.
	MaxWords = 8
	// MaxWord is how much of the text from a word on a search compares, in bytes of UTF-8.
	MaxWord = 64
)

// FoldName returns a name in the form in which names are compared, see
// golang.org/x/text/cases.Fold, of it the whole characters in the first [MaxWord] bytes.
func FoldName(name string) string { return start(cases.Fold().String(name)) }

// start returns the whole characters in the first MaxWord bytes of a text.
func start(text string) string {
	end := 0
	for i, r := range text {
		if end = i + len(string(r)); end > MaxWord {
			return text[:i]
		}
	}
	return text
}

// Words returns the rows of collection_words of a collection, in order: for its name, for each of
// the first [MaxWords] words in it, and for its symbol. A key is the folded text from the word on,
// U+0000, which no name contains, and the address. Shared is the number of bytes that a key has in
// common with the one before: a search that is no longer found the collection there.
func Words(contractID int64, address evm.Address, name, symbol *string) (rows []*ent.CollectionWord) {
	var keys [][]byte
	add := func(text string) { keys = append(keys, append(append([]byte(start(text)), 0), address[:]...)) }
	if name != nil {
		text, words, inside := cases.Fold().String(*name), 0, false
		for i, r := range text {
			begins := !inside && (unicode.IsLetter(r) || unicode.IsNumber(r))
			if inside = begins || inside && (unicode.In(r, unicode.L, unicode.N, unicode.M) || r == '\'' || r == '’'); begins {
				words++
			}
			if i == 0 || begins && words <= MaxWords {
				add(text[i:])
			}
		}
	}
	if symbol != nil {
		add(cases.Fold().String(*symbol))
	}
	slices.SortFunc(keys, bytes.Compare)
	for i, key := range slices.CompactFunc(keys, bytes.Equal) {
		row := &ent.CollectionWord{ID: key, ContractID: contractID}
		if i > 0 {
			for row.Shared < int64(len(key)) && key[row.Shared] == keys[i-1][row.Shared] {
				row.Shared++
			}
		}
		rows = append(rows, row)
	}
	return rows
}
