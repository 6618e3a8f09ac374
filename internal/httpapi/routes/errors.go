package routes

import (
	"cmp"
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"mintburn/internal/httpapi/documented"
	"mintburn/internal/httpapi/failure"
)

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
