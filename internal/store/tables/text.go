package tables

import "strings"

// Storable replaces what a text column of PostgreSQL can't hold, U+0000 and
// bytes that are not UTF-8, by U+FFFD; in SQLite too, so that both give the
// same answers.
func Storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
