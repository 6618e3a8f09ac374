package apitest

import (
	"regexp"
	"strings"
	"testing"
)

// Answer is a GraphQL response.
type Answer struct {
	Data   map[string]any
	Errors []Error
	// Text is the body as it was sent.
	Text string `json:"-"`
}

// Error is an error of a GraphQL response.
type Error struct {
	Message    string
	Path       []any
	Locations  []map[string]any
	Extensions map[string]any
}

// Answer reads the body as a GraphQL response.
func (r *Reply) Answer(t testing.TB) *Answer {
	t.Helper()
	a := &Answer{Text: r.Body}
	Decode(t, r.Body, a)
	return a
}

// OnlyError returns the only error of the answer in the body: see
// [Answer.OnlyError].
func (r *Reply) OnlyError(t testing.TB, code string) Error {
	t.Helper()
	return r.Answer(t).OnlyError(t, code)
}

// OnlyError returns the only error of an answer. It must have a code, reveal no
// internals, and say what is accepted if the input is bad.
func (a *Answer) OnlyError(t testing.TB, code string) Error {
	t.Helper()
	if len(a.Errors) != 1 {
		t.Fatalf("%d errors, want one: %s", len(a.Errors), a.Text)
	}
	e := a.Errors[0]
	if e.Extensions["code"] != code {
		t.Errorf("code %v, want %s: %s", e.Extensions["code"], code, a.Text)
	}
	a.CheckMessages(t)
	if code == "BAD_USER_INPUT" && !Accepted.MatchString(e.Message) {
		t.Errorf("the message does not say what is accepted: %q", e.Message)
	}
	return e
}

// Accepted matches messages that say what is accepted.
var Accepted = regexp.MustCompile(`.[:,] (want|accepted are:) `)

var internals = regexp.MustCompile(`(?i)\.go\b|goroutine|panic|strconv|runtime|interface *\{|map\[|sql|no such|database|0x[0-9a-f]{1,12}\)|/home|/root|/tmp|mintburn/|gqlgen|internal error:`)

// CheckMessages checks that each error has a message of one short line that
// reveals no internals.
func (a *Answer) CheckMessages(t testing.TB) {
	t.Helper()
	for _, e := range a.Errors {
		if found := internals.FindString(e.Message); found != "" {
			t.Errorf("the message reveals internals (%q): %s", found, e.Message)
		}
		if strings.ContainsAny(e.Message, "\n\r") || len(e.Message) > 400 || e.Message == "" {
			t.Errorf("the message is not one short line: %q", e.Message)
		}
	}
}

// At returns a part of an answer's data: path has names of fields and indices of
// lists. It panics where there is no such part.
func At(data any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			data = data.(map[string]any)[step]
		case int:
			data = data.([]any)[step]
		}
	}
	return data
}
