package docs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a search: characters of the query, words of it that count, and results.
const (
	maxQuery   = 100
	maxWords   = 8
	maxResults = 30
)

// synonyms are words of documents for words that a reader may look for.
var synonyms = map[string]string{"webhook": "changes", "webhooks": "changes", "infura": "provider", "quicknode": "provider"}

// result is a section with all words of a query.
type result struct {
	Page        *page
	Heading, ID string
	Excerpt     []excerpt
	section     *section
	score       int
}

// excerpt is a part of a section's text. Found reports that it is a word of the query.
type excerpt struct {
	Text  string
	Found bool
}

// search returns the first sections that contain all words of a query, or a synonym of them, in any
// case, and the number of all: first those with the words in their headings, and whole words before
// parts. also are the synonyms.
func (l *library) search(query string) (found []result, total int, also string) {
	words := strings.Fields(strings.ToLower(query))
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil, 0, ""
	}
	for _, p := range l.pages {
		for i := range p.sections {
			s := &p.sections[i]
			if score := s.score(words); score > 0 {
				found = append(found, result{Page: p, Heading: s.Heading, ID: s.ID, section: s, score: score})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b result) int { return cmp.Compare(b.score, a.score) })
	total = len(found)
	found = found[:min(total, maxResults)]
	for _, word := range words {
		if other := synonyms[word]; other != "" {
			words, also = append(words, other), strings.TrimSpace(also+" "+other)
		}
	}
	// At one place, the longest word wins.
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	pattern := regexp.MustCompile("(?i)" + strings.Join(words, "|"))
	for i := range found {
		found[i].Excerpt = excerpts(found[i].section.text, pattern)
	}
	return found, total, also
}

// score returns 0 if the section lacks a word, and otherwise more for words in headings and for
// whole words. The words are in lower case.
func (s *section) score(words []string) (score int) {
	title := s.page.Title
	if s.page.Parent != nil {
		title += " " + s.page.Parent.Title
	}
	heading, title, text := strings.ToLower(s.Heading), strings.ToLower(title), strings.ToLower(s.text)
	if heading == strings.Join(words, " ") {
		score = 500
	}
	for _, word := range words {
		best := 0
		for _, word := range []string{word, synonyms[word]} {
			inHeading, asHeading := occurrences(heading, word)
			inTitle, asTitle := occurrences(title, word)
			inText, asText := occurrences(text, word)
			n := 1000*min(asHeading, 1) + 300*min(asTitle, 1) + 100*min(asText, 1) + 30*min(inHeading, 1) + 10*min(inTitle, 1) + min(inText, 9)
			best = max(best, n)
		}
		if best == 0 {
			return 0
		}
		score += best
	}
	return score
}

// occurrences counts a word in a text, both in lower case: all, and those that are whole words, also in
// the plural.
func occurrences(text, word string) (all, whole int) {
	for at := 0; word != ""; at += len(word) {
		next := strings.Index(text[at:], word)
		if next < 0 {
			break
		}
		all++
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[at+len(word):], "s"))
		if !inWord(before) && !inWord(after) {
			whole++
		}
	}
	return all, whole
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// The bytes of an excerpt before and after its first word.
const (
	excerptBefore = 80
	excerptAfter  = 160
)

// excerpts returns the part of a text around the first word found, or its beginning.
func excerpts(text string, words *regexp.Regexp) (parts []excerpt) {
	first := 0
	if at := words.FindStringIndex(text); at != nil {
		first = at[0]
	}
	from, to := max(first-excerptBefore, 0), min(first+excerptAfter, len(text))
	// The excerpt begins and ends between words.
	if from > 0 {
		from += strings.IndexFunc(text[from:], unicode.IsSpace) + 1
		from = min(from, first)
	}
	if n := strings.LastIndexFunc(text[first:to], unicode.IsSpace); to < len(text) && n > 0 {
		to = first + n
	}
	text = strings.ToValidUTF8(text[from:to], "")
	for {
		at := words.FindStringIndex(text)
		if at == nil {
			return append(parts, excerpt{Text: text})
		}
		parts = append(parts, excerpt{Text: text[:at[0]]}, excerpt{Text: text[at[0]:at[1]], Found: true})
		text = text[at[1]:]
	}
}
