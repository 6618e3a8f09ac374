package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
)

// fail answers with the first error of a request.
func (e *endpoint) fail(w http.ResponseWriter, r *http.Request, failed *failure.Error) {
	failed.SetHeader(w.Header())
	e.observer.Failed(failed.Errors[:1])
	b := e.budget.Buffer(r)
	defer e.budget.Drop(b)
	e.send(w, r, negotiate.JSON, writeREST(b, failed, e.argumentNames), b, nil)
}

// writeREST writes the body for a request's error, and returns its status. names are those of
// [argumentNames].
func writeREST(b *admit.Buffer, failed *failure.Error, names map[string]string) (status int) {
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
	}{renamed(strings.TrimPrefix(first.Message, "$"), names), failure.CodeOf(first), memberName.ReplaceAllFunc(text, func(name []byte) []byte {
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

// argumentNames maps arguments to documented names where they differ.
func argumentNames(routes []*route) map[string]string {
	names := map[string]string{"first: got": "limit: got"}
	for _, to := range routes {
		for _, name := range append(to.parameters(), to.optional...) {
			if camel := documented.CamelCase(name); camel != name {
				names[camel] = name
			}
		}
	}
	return names
}
