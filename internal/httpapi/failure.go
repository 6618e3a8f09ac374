package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// Error codes of this package, in addition to those of package nft. docs/api.md#errors.
const (
	parseFailed            nft.Code = errcode.ParseFailed
	validationFailed       nft.Code = errcode.ValidationFailed
	persistedQueryNotFound nft.Code = "PERSISTED_QUERY_NOT_FOUND"
	unauthenticated        nft.Code = "UNAUTHENTICATED"
)

// requestError describes why a request, or one of its operations, does not run. Nil means that
// it may run.
type requestError struct {
	// status is the response status. 0 is for a well-formed request that cannot be answered:
	// 200 in application/json and 400 in application/graphql-response+json.
	status int
	errors gqlerror.List
	// header is the header that the status requires, such as Allow, or nil.
	header map[string]string
}

// failf returns the error of a well-formed request.
func failf(code nft.Code, format string, args ...any) *requestError {
	return statusError(0, code, format, args...)
}

// statusError returns an error with a status.
func statusError(status int, code nft.Code, format string, args ...any) *requestError {
	return &requestError{status: status, errors: gqlerror.List{{
		Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code},
	}}}
}

// badRequest returns the error of a malformed request.
func badRequest(format string, args ...any) *requestError {
	return statusError(http.StatusBadRequest, nft.BadUserInput, format, args...)
}

// busy returns the error for a lack of slots or memory.
func busy(what string) *requestError {
	return tryAgain(nft.RateLimited, fmt.Sprintf("the server is busy (%s): try again later", what))
}

// unavailable returns the error of an operation whose database is unavailable.
func unavailable() *requestError {
	return tryAgain(nft.Unavailable, "the data is unavailable: try again later")
}

func tryAgain(code nft.Code, message string) *requestError {
	return statusError(http.StatusServiceUnavailable, code, "%s", message).with("Retry-After", "1")
}

// with sets the header that the status requires.
func (f *requestError) with(name, value string) *requestError {
	f.header = map[string]string{name: value}
	return f
}

// setHeader copies the header that the status requires to h.
func (f *requestError) setHeader(h http.Header) {
	for name, value := range f.header {
		h.Set(name, value)
	}
}

// at sets the location of the error in the document.
func (f *requestError) at(place *ast.Position) *requestError {
	if place != nil {
		f.errors[0].Locations = []gqlerror.Location{{Line: place.Line, Column: place.Column}}
	}
	return f
}

// maxErrors is how many errors of a document an answer contains, maxMessage the maximum length
// of each in bytes.
const maxErrors, maxMessage = 10, 300

// documentError returns the first errors that a library found in a document, shortened because
// their messages quote the document. It removes duplicates, because validation walks a
// fragment once for each operation and once on its own, and reports the same errors each time.
func documentError(code nft.Code, list gqlerror.List) *requestError {
	var shown gqlerror.List
	for _, e := range list {
		one := &gqlerror.Error{
			Message: brief(strings.ToValidUTF8(e.Message, "�"), maxMessage), Locations: e.Locations,
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
	return &requestError{errors: shown}
}

// brief truncates a text to a number of bytes and appends an ellipsis if it was longer.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// codeOf returns the code of an error.
func codeOf(e *gqlerror.Error) string {
	if code, ok := e.Extensions["code"]; ok {
		return fmt.Sprint(code)
	}
	return string(nft.Internal)
}
