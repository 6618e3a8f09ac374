package routes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/failure"
)

// Answer returns the route's answer to variables from that of its document.
func (to *Route) Answer(variables map[string]any, data []byte, errs gqlerror.List) (answer json.RawMessage, failed *failure.Error, err error) {
	// The document counts and the token matter only if there is no document, so their errors are
	// dropped.
	dropped := map[ast.PathElement]bool{}
	errs = slices.DeleteFunc(slices.Clone(errs), func(e *gqlerror.Error) bool {
		drop := len(e.Path) > 0 && (e.Path[0] == ast.PathName("documents") || e.Path[0] == ast.PathName("token"))
		if drop {
			dropped[e.Path[0]] = true
		}
		return drop
	})
	if len(errs) > 0 {
		return nil, &failure.Error{Errors: errs}, nil
	}
	var found struct {
		Answer json.RawMessage
		State  struct {
			Data []struct {
				Error     *string
				UpdatedAt uint64
			}
		}
		Documents *struct{ Documents map[string]int64 }
		Token     json.RawMessage
	}
	var page struct{ Data []json.RawMessage }
	switch err = json.Unmarshal(data, &found); {
	case err != nil:
		return nil, nil, err
	case to.field == "tokens":
		return slices.Concat([]byte(`{"data":`), found.Answer, []byte("}")), nil, nil
	case to.object != "" && string(found.Answer) == "null":
		names := to.parameters()
		return nil, unknown(to.field, variables[names[len(names)-1]]), nil
	case !to.record():
		return found.Answer, nil, nil
	}
	if err = json.Unmarshal(found.Answer, &page); err != nil {
		return nil, nil, err
	}
	switch {
	case len(page.Data) == 0 && string(found.Token) == "null" && !dropped[ast.PathName("token")]:
		return nil, unknown("token", variables["token_id"]), nil
	case len(page.Data) == 0 && found.Documents == nil:
		return nil, failure.New(apierror.NotFound, "there is no metadata yet"), nil
	case len(page.Data) == 0:
		n := found.Documents.Documents
		failed = failure.New(apierror.NotFound, "there is no metadata yet: of the collection's tokens %d have a document or are waiting for a newer one, %d failed, %d were never tried",
			n["resolved"]+n["pending"], n["failed"], n["untried"])
		failed.Errors[0].Extensions["documents"] = n
		return nil, failed, nil
	case found.State.Data[0].UpdatedAt == 0 && found.State.Data[0].Error != nil:
		// Every attempt to fetch the document has failed.
		return nil, failure.New(apierror.NotFound, "there is no metadata: %s", *found.State.Data[0].Error), nil
	default:
		return page.Data[0], nil, nil
	}
}

// unknown returns the error about a token or a collection that no record names.
func unknown(what string, value any) *failure.Error {
	return failure.New(apierror.NotFound, "there is no %s %s: no mint or burn names it", what, failure.Brief(fmt.Sprint(value), 80))
}

// WriteError writes the body for a request's error, and returns its status.
func (r *Routes) WriteError(b io.Writer, failed *failure.Error) (status int) {
	first := failed.Errors[0]
	details := map[string]any{}
	for name, value := range first.Extensions {
		if name != "code" {
			details[name] = value
		}
	}
	// Messages and details contain only strings, numbers and lists of them.
	text, _ := json.Marshal(details)
	body := struct {
		Message string          `json:"message"`
		Code    string          `json:"code"`
		Details json.RawMessage `json:"details"`
	}{renamed(strings.TrimPrefix(first.Message, "$"), r.names), failure.CodeOf(first), memberName.ReplaceAllFunc(text, func(name []byte) []byte {
		return []byte(documented.SnakeCase(string(name)))
	})}
	_ = json.NewEncoder(b).Encode(body)
	return cmp.Or(failed.Status, statusOf(body.Code))
}

// memberName matches the name of a member of a JSON object.
var memberName = regexp.MustCompile(`"[A-Za-z]+":`)

// renamed replaces the argument names in a message by the documented names. Quoted text
// comes from the client and stays.
func renamed(message string, names map[string]string) string {
	return quotedOrWord.ReplaceAllStringFunc(message, func(part string) string { return cmp.Or(names[part], part) })
}

var quotedOrWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|first: got|[A-Za-z]+`)
