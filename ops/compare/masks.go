package main

import (
	"bytes"
	"regexp"
	"slices"
)

// A mask replaces what two runs of one program differ in.
type mask struct {
	pattern *regexp.Regexp
	with    string
}

// masks are as narrow as possible. They apply in this order to answers whose bytes differ.
var masks = []mask{
	// The progress of an import is logged at times. All lines of the log have their time.
	{regexp.MustCompile(`(?m)^time=\S+ level=INFO msg=progress .*\n`), ""},
	{regexp.MustCompile(`(?m)^(time=|\{"time":")[^ "]+`), "$1…"},
	// Cursors of the change feed contain random numbers and those of the transactions of an import,
	// whose sizes depend on the time.
	{regexp.MustCompile(`AQABEA[\w-]{37}|AQABMQ[\w-]{81}`), "AQAB…"},
	// Process numbers, times and disk space in the state of a database. Its size depends on the
	// history's number, whose index entries may need another page.
	{regexp.MustCompile(`process \d+`), "process …"},
	{regexp.MustCompile(`(?m)^  +"(?:following_since|lag_seconds|free|size)": .*|^(?:lag  |disk  |\w+ disk:) .*`), "…"},
	{regexp.MustCompile(`(?m)^(database   .*, |ok database: it opens: .*, |ok database: it has pages .* log of )[\d.]+ \S+`), "$1…"},
	// The connections that a PostgreSQL server has left.
	{regexp.MustCompile(`it has \d+ connections for`), "it has … connections for"},
	// The age of the last block, also below an alias of random operations.
	{regexp.MustCompile(`lag":\d+`), `lag":…`},
	// The values of metrics.
	{regexp.MustCompile(`(?m)^((?:mintburn|go|process|promhttp)_\S+) \S+$`), "$1 …"},
}

// failure matches an error of a GraphQL answer, with the ranges in its extensions.
var failure = regexp.MustCompile(`\{"message":(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`)

// masked returns a text without what two runs of a program may differ in. It sorts errors, because
// fields fail in any order.
func masked(text []byte) []byte {
	for _, m := range masks {
		text = m.pattern.ReplaceAll(text, []byte(m.with))
	}
	failures := failure.FindAll(text, -1)
	slices.SortFunc(failures, bytes.Compare)
	n := 0
	return failure.ReplaceAllFunc(text, func([]byte) []byte {
		n++
		return failures[n-1]
	})
}
