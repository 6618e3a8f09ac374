package evm

import (
	"fmt"
	"strings"
	"time"
)

// ParseDate parses a date, which means UTC, or a time of RFC 3339 with a zone and without a
// fraction. It returns the first and the last second of what the text names. ok is false for other
// texts.
func ParseDate(text string) (first, last time.Time, ok bool) {
	if first, err := time.Parse(time.DateOnly, text); err == nil {
		return first, first.Add(24*time.Hour - time.Second), true
	}
	first, err := time.Parse(time.RFC3339, text)
	// Parse also accepts fractions and hours of one digit.
	whole := len(text) == len("2027-01-31T12:00:00Z") || len(text) == len("2027-01-31T12:00:00+00:00")
	return first, first, err == nil && whole && !strings.ContainsAny(text, ".,")
}

// ParseTime parses the time of a block: Unix seconds as [ParseLong] accepts them, or what [ParseDate]
// accepts, from 1970 on. It returns the first and the last second of what the text names.
func ParseTime(text string) (first, last Long, err error) {
	if n, err := ParseLong(text); err == nil {
		return n, n, nil
	}
	from, to, ok := ParseDate(text)
	if !ok || from.Unix() < 0 {
		return 0, 0, fmt.Errorf("got %s, want Unix seconds such as 1801353600, a date in UTC such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z", Excerpt(text))
	}
	return Long(from.Unix()), Long(to.Unix()), nil
}
