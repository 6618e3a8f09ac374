package routes

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
)

// Read adds the parameters in the query string to the variables. most is the maximum page
// size, and more are parameters that this request accepts besides those of the route.
func (to *Route) Read(rawQuery string, variables map[string]any, most int, more ...string) (failed *failure.Error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return failure.BadRequest(parse.BadParameters)
	}
	accepted := slices.Concat(to.required, to.optional, more)
	for name, list := range values {
		if !slices.Contains(accepted, name) {
			return failure.BadRequest("unknown parameter %s: want %s", evm.Excerpt(name), strings.Join(accepted, ", "))
		}
		if element := to.element(name); element != nil {
			if variables[name], failed = readList(name, element.NamedType, list); failed != nil {
				return failed
			}
			continue
		}
		if len(list) > 1 {
			return failure.BadRequest("the parameter %s is given twice: want it once", name)
		}
		// An empty parameter counts as absent, because forms send all their fields. An empty cursor
		// of changes is a mistake of a client, which would miss those before now.
		if list[0] != "" || name == "after" {
			variables[name] = list[0]
		}
	}
	if id := variables["token_id"]; to.record() && id != nil {
		variables["one"], variables["id"] = true, id
	}
	for _, name := range to.required {
		if variables[name] == nil {
			return failure.BadRequest("missing parameter %s: want %s", name, strings.Join(to.required, " and "))
		}
	}
	if text, given := variables["limit"].(string); given {
		limit, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return failure.BadRequest("limit: got %s, want a whole number from 0 to %d", evm.Describe(text), most)
		}
		variables["limit"] = limit
	}
	for _, name := range []string{"from_time", "to_time"} {
		text, given := variables[name].(string)
		if !given {
			continue
		}
		first, last, err := evm.ParseTime(text)
		if err != nil {
			return failure.BadRequest("%s: %v", name, err)
		}
		if variables[name] = int64(first); name == "to_time" {
			variables[name] = int64(last)
		}
	}
	if text, given := variables["partial"].(string); given {
		if text != "true" && text != "false" {
			return failure.BadRequest("partial: got %s, want true or false", evm.Describe(text))
		}
		variables["partial"] = text == "true"
	}
	return nil
}

// element returns the type of the values of a parameter that may be repeated, or nil.
func (to *Route) element(name string) *ast.Type {
	if variable := to.Document.Query.Operations[0].VariableDefinitions.ForName(name); variable != nil {
		return variable.Type.Elem
	}
	return nil
}

// readList returns the values of a repeated parameter without the empty ones. A list without
// values selects nothing.
func readList(name, element string, values []string) (list []any, failed *failure.Error) {
	list = []any{}
	for _, text := range values {
		address, id, isToken := strings.Cut(text, ":")
		switch {
		case text == "":
		case element != "TokenKey":
			list = append(list, text)
		case !isToken:
			return nil, failure.BadRequest("%s: got %s, want ADDRESS:TOKEN_ID", name, evm.Describe(text))
		default:
			list = append(list, map[string]any{"address": address, "tokenId": id})
		}
	}
	return list, nil
}

// longestWait is the maximum duration of a long poll.
const longestWait = time.Minute

// ReadChanges reads the parameters of a request for changes, or for a stream of their events: variables,
// and how long to wait.
func (to *Route) ReadChanges(r *http.Request, variables map[string]any, most int, events bool) (wait time.Duration, failed *failure.Error) {
	var more []string
	if events {
		more = []string{lastEventID}
	}
	if failed := to.Read(r.URL.RawQuery, variables, most, more...); failed != nil {
		return 0, failed
	}
	if text, given := variables["wait"].(string); given {
		var err error
		if wait, err = time.ParseDuration(text); err != nil || wait < 0 || wait > longestWait {
			return 0, failure.BadRequest("wait: got %s, want a duration from 0s to %s, such as 30s", evm.Describe(text), longestWait)
		}
	}
	kinds, _ := variables["kind"].([]any)
	for i, kind := range kinds {
		text, _ := kind.(string)
		if !slices.Contains(changeKinds, text) {
			return 0, failure.BadRequest("kind: got %s, want %s", evm.Describe(text), strings.Join(changeKinds, ", "))
		}
		kinds[i] = strings.ToUpper(text)
	}
	if variables["account"] != nil && slices.Contains(kinds, any("METADATA")) {
		return 0, failure.BadRequest("kind: got metadata, which has no account, want no account with it")
	}
	for _, name := range to.optional {
		if list, _ := variables[name].([]any); len(list) > apierror.MaxValues {
			return 0, failure.BadRequest("%s: got %d values, want at most %d", name, len(list), apierror.MaxValues)
		}
	}
	if !events {
		return wait, nil
	}
	for _, name := range []string{"limit", "wait"} {
		if variables[name] != nil {
			return 0, failure.BadRequest("%s: an event stream has none, want Accept: application/json with it", name)
		}
	}
	id, _ := variables[lastEventID].(string)
	delete(variables, lastEventID)
	if id = cmp.Or(r.Header.Get("Last-Event-ID"), id); id != "" {
		variables["after"] = id
	}
	return 0, nil
}

// lastEventID is the parameter with which polyfills of EventSource send the header Last-Event-ID.
const lastEventID = "lastEventId"
