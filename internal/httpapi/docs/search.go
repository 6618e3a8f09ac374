package docs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The bounds of a search: characters of the query, words of it that count, and results.
const (
	maxQuery   = 100
	maxWords   = 8
	maxResults = 30
)

// section is the part of a page below a heading, up to the next heading.
type section struct {
	page        *page
	Heading, ID string
	text        string
	// lower is the text in lower case.
	lower string
}

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

// search returns the sections that contain all words of a query, in any case: first those with
// the words in their headings.
func (l *library) search(query string) (found []result) {
	words := strings.Fields(strings.ToLower(query))
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil
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
	found = found[:min(len(found), maxResults)]
	// At one place, the longest word wins.
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	pattern := regexp.MustCompile("(?i)" + strings.Join(words, "|"))
	for i := range found {
		found[i].Excerpt = excerpts(found[i].section.text, pattern)
	}
	return found
}

// score returns 0 if the section lacks a word, and otherwise more for words in headings. The
// words are in lower case.
func (s *section) score(words []string) (score int) {
	heading, title := strings.ToLower(s.Heading), strings.ToLower(s.page.Title)
	for _, word := range words {
		n := strings.Count(s.lower, word)
		switch {
		case strings.Contains(heading, word):
			score += 100
		case strings.Contains(title, word):
			score += 20
		case n == 0:
			return 0
		}
		score += min(n, 9) + 1
	}
	return score
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
