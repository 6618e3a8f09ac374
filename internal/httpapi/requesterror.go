package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// Codes of errors that do not come from the data. docs/api.md, section 2, "Errors".
const (
	parseFailed            nft.Code = errcode.ParseFailed
	validationFailed       nft.Code = errcode.ValidationFailed
	persistedQueryNotFound nft.Code = "PERSISTED_QUERY_NOT_FOUND"
)

// refusal is why a request, or one operation of it, does not run. Nil means
// that nothing speaks against it.
type requestError struct {
	// status is the response's. 0 stands for a request that is well formed and
	// asks for something that cannot be: 200 in application/json and 400 in
	// application/graphql-response+json.
	status int
	errors gqlerror.List
	// header has what the status asks for, such as Allow; or it is nil.
	header map[string]string
}

// refuse refuses a well formed request.
func failf(code nft.Code, format string, args ...any) *requestError {
	return statusError(0, code, format, args...)
}

// refuseWith refuses a request with a status.
func statusError(status int, code nft.Code, format string, args ...any) *requestError {
	return &requestError{status: status, errors: gqlerror.List{{
		Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code},
	}}}
}

// busy refuses what there is no room for now.
func busy(what string) *requestError {
	r := statusError(http.StatusServiceUnavailable, nft.RateLimited, "the server is busy (%s): try again later", what)
	r.header = map[string]string{"Retry-After": "1"}
	return r
}

// refuseErrors refuses a document with what a library says of it, in bounds:
// its messages repeat parts of the document. Validation walks a fragment once
// for each operation and once for itself, and says the same thing each time.
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

// brief cuts a text to a number of bytes and marks the cut.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
