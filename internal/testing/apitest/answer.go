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
	// Text is the response body.
	Text string `json:"-"`
}

// Error is an error in a GraphQL response.
type Error struct {
	Message    string
	Path       []any
	Locations  []map[string]any
	Extensions map[string]any
}

// Answer decodes the body as a GraphQL response.
func (r *Reply) Answer(t testing.TB) *Answer {
	t.Helper()
	a := &Answer{Text: r.Body}
	Decode(t, r.Body, a)
	return a
}

// OnlyError decodes the body and calls [Answer.OnlyError].
func (r *Reply) OnlyError(t testing.TB, code string) Error {
	t.Helper()
	return r.Answer(t).OnlyError(t, code)
}

// OnlyError returns the error of an answer. It fails the test unless there is exactly one
// error, the error has this code and reveals no internals, and, for BAD_USER_INPUT, its
// message states what is accepted.
func (a *Answer) OnlyError(t testing.TB, code string) Error {
	t.Helper()
	if len(a.Errors) != 1 {
		t.Fatalf("got %d errors, want one: %s", len(a.Errors), a.Text)
	}
	e := a.Errors[0]
	if e.Extensions["code"] != code {
		t.Errorf("got code %v, want %s: %s", e.Extensions["code"], code, a.Text)
	}
	a.CheckMessages(t)
	if code == "BAD_USER_INPUT" && !Accepted.MatchString(e.Message) {
		t.Errorf("the message does not state what is accepted: %q", e.Message)
	}
	return e
}

// Accepted matches messages that state what is accepted.
var Accepted = regexp.MustCompile(`.[:,] want | needs? `)

var internals = regexp.MustCompile(`(?i)\.go\b|goroutine|panic|strconv|runtime|interface *\{|map\[|sql|no such|database|0x[0-9a-f]{1,12}\)|/home|/root|/tmp|mintburn/|gqlgen|internal error:`)

// CheckMessages checks that the message of each error is one short line and reveals no
// internals.
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

// At returns the value at a path of field names and list indexes. It panics if the path
// does not exist.
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
