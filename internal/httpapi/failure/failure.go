package failure

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
)

// Error codes in addition to those of package nft. docs/api.md#errors.
const (
	// ParseFailed is for a document with a syntax error, ValidationFailed for one that the
	// schema does not allow, or without the named operation.
	ParseFailed      apierror.Code = errcode.ParseFailed
	ValidationFailed apierror.Code = errcode.ValidationFailed
	// PersistedQueryNotFound is for a hash or an id that names no known document.
	PersistedQueryNotFound apierror.Code = "PERSISTED_QUERY_NOT_FOUND"
	// Unauthenticated is for a missing or invalid API key.
	Unauthenticated apierror.Code = "UNAUTHENTICATED"
)

// Error describes why a request, or one of its operations, does not run. Nil means that it may
// run.
type Error struct {
	// Status is the response status. 0 is for a well-formed request that cannot be answered:
	// 200 in application/json and 400 in application/graphql-response+json.
	Status int
	// Errors are the errors of the answer, at least one.
	Errors gqlerror.List
	// header is the header that the status requires, such as Allow, or nil.
	header map[string]string
}

// New returns the error of a well-formed request, without a status of its own.
func New(code apierror.Code, format string, args ...any) *Error {
	return WithStatus(0, code, format, args...)
}

// WithStatus returns an error with an HTTP status.
func WithStatus(status int, code apierror.Code, format string, args ...any) *Error {
	return &Error{Status: status, Errors: gqlerror.List{{
		Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code},
	}}}
}

// BadRequest returns the error of a malformed request, with status 400.
func BadRequest(format string, args ...any) *Error {
	return WithStatus(http.StatusBadRequest, apierror.BadUserInput, format, args...)
}

// Busy returns the error for a lack of slots or memory, with status 503; what is the reason.
func Busy(what string) *Error {
	return tryAgain(apierror.RateLimited, fmt.Sprintf("the server is busy (%s): try again later", what))
}

// Unavailable returns the error of an operation whose database is unavailable, with status 503.
func Unavailable() *Error {
	return tryAgain(apierror.Unavailable, "the data is unavailable: try again later")
}

// ReplicaBehind returns the error of an operation whose cursor a standby has not received, with
// status 503.
func ReplicaBehind(message string) *Error { return tryAgain(apierror.ReplicaBehind, message) }

func tryAgain(code apierror.Code, message string) *Error {
	return WithStatus(http.StatusServiceUnavailable, code, "%s", message).With("Retry-After", "1")
}

// With sets the header that the status requires, in place of an earlier one, and returns the
// error.
func (f *Error) With(name, value string) *Error {
	f.header = map[string]string{name: value}
	return f
}

// SetHeader copies the header that the status requires to h.
func (f *Error) SetHeader(h http.Header) {
	for name, value := range f.header {
		h.Set(name, value)
	}
}

// At sets the location of the first error in the document, unless it is nil, and returns the
// error.
func (f *Error) At(place *ast.Position) *Error {
	if place != nil {
		f.Errors[0].Locations = []gqlerror.Location{{Line: place.Line, Column: place.Column}}
	}
	return f
}

// maxErrors is how many errors of a document an answer contains, maxMessage the maximum length
// of each in bytes.
const maxErrors, maxMessage = 10, 300

// InDocument returns the first 10 errors that a library found in a document, each shortened to
// 300 bytes because their messages quote the document. It removes duplicates, because validation
// walks a fragment once for each operation and once on its own, and reports the same errors each
// time.
func InDocument(code apierror.Code, list gqlerror.List) *Error {
	var shown gqlerror.List
	for _, e := range list {
		one := &gqlerror.Error{
			Message: Brief(strings.ToValidUTF8(e.Message, "�"), maxMessage), Locations: e.Locations,
			Extensions: map[string]any{"code": code},
		}
		same := func(other *gqlerror.Error) bool {
			return other.Message == one.Message && slices.Equal(other.Locations, one.Locations)
		}
		if !slices.ContainsFunc(shown, same) {
			shown = append(shown, one)
		}
		if len(shown) == maxErrors {
			break
		}
	}
	return &Error{Errors: shown}
}

// Brief truncates a text to at most so many bytes, between characters, and appends an ellipsis
// if it was longer.
func Brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// CodeOf returns the code of an error, INTERNAL if it has none.
func CodeOf(e *gqlerror.Error) string {
	if code, ok := e.Extensions["code"]; ok {
		return fmt.Sprint(code)
	}
	return string(apierror.Internal)
}

// Passes reports whether the error may be gone when the same is tried again.
func (f *Error) Passes() bool {
	switch apierror.Code(CodeOf(f.Errors[0])) {
	case apierror.Unavailable, apierror.ReplicaBehind, apierror.Timeout, apierror.RateLimited:
		return true
	default:
		return false
	}
}
