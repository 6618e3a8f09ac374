package evm

import (
	"strings"
	"unicode"
)

// Printable returns foreign text, such as a node's message, as one line of valid UTF-8
// that is safe in terminals and logs: white space and control characters become single
// spaces, and other characters that are not visible, such as bidirectional overrides,
// become U+FFFD.
func Printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case !unicode.IsGraphic(r):
			return unicode.ReplacementChar
		}
		return r
	}, text) // invalid bytes arrive as U+FFFD
	return strings.Join(strings.Fields(text), " ")
}
