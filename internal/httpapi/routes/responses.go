package routes

import (
	"net/http"
	"slices"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/openapi"
)

// response is a kind of answers of the routes.
type response struct {
	status      int
	name, about string
	// codes are those of the error in the body.
	codes []string
	// headers are names in [responseHeaders].
	headers string
	// text is the maximum length of a body in plain text.
	text int
}

// responses are the kinds of answers, by status. The name of one with status 200 is that of the
// schema of its body.
var responses = []response{
	{status: 200, name: "Page", about: "A page.", headers: "Cache-Control ETag"},
	{status: 200, name: "TokenMetadata", about: "The record.", headers: "Cache-Control ETag"},
	{status: 200, name: "Collection", about: "The collection.", headers: "Cache-Control"},
	{status: 200, name: "Collections", about: "A page of collections.", headers: "Cache-Control"},
	{status: 200, name: "Token", about: "The token.", headers: "Cache-Control"},
	{status: 200, name: "Tokens", about: "The tokens, in the order of the keys.", headers: "Cache-Control"},
	{status: 200, name: "ProvedBlock", about: "The block with its proof.", headers: "Cache-Control"},
	{status: 200, name: "Changes", about: "A batch of changes, or, with Accept: text/event-stream, an event for each change, with its cursor as id and the change as data.", headers: "Cache-Control"},
	{status: 200, name: "Schema", about: "The schema in GraphQL's schema definition language. It changes only with the server's version.", headers: "ETag", text: 1_000_000},
	{status: 200, name: "Chains", about: "The chains.", headers: "Cache-Control"},
	{status: 304, name: "NotModified", about: "If-None-Match contains the tag of the answer about final blocks.", headers: "Cache-Control ETag"},
	{status: 400, name: "BadRequest", about: "A parameter is missing or invalid, the cursor belongs to another request, or the page is too large", codes: codes(apierror.BadUserInput, apierror.InvalidCursor, apierror.QueryTooCostly)},
	{status: 401, name: "Unauthenticated", about: "The server requires an API key, or the API key is unknown, revoked or expired", codes: codes(failure.Unauthenticated), headers: "WWW-Authenticate"},
	{status: 403, name: "Forbidden", about: "A browser sent the request for a page of an origin that is not allowed", codes: codes(apierror.BadUserInput)},
	{status: 404, name: "NotFound", about: "The requested data is unknown", codes: codes(apierror.BlockNotFound, apierror.BlockNotIndexed, apierror.NotFound)},
	{status: 404, name: "Hidden", about: "Introspection is disabled, or the server has only one chain.", text: 1_000},
	{status: 410, name: "Gone", about: "A reorg orphaned the block; details of CURSOR_REORGED contain rewind_cursor, from which to continue", codes: codes(apierror.BlockNotCanonical, apierror.CursorReorged)},
	{status: 410, name: "Expired", about: "The log no longer reaches back to the cursor, or the database has lost commits since: start again from an export", codes: codes(apierror.ChangesExpired)},
	{status: 421, name: "Misdirected", about: "The server does not serve the requested host", codes: codes(apierror.BadUserInput)},
	{status: 422, name: "OutOfRange", about: "A sum of amounts is above 2^256-1", codes: codes(apierror.OutOfRange)},
	{status: 422, name: "NotProvable", about: "The block cannot be proved; the message has the reason", codes: codes(apierror.NotProvable)},
	{status: 429, name: "QuotaSpent", about: "The quota of the API key or the address is spent", codes: codes(apierror.RateLimited), headers: "Retry-After RateLimit-Policy RateLimit"},
	{status: 500, name: "Internal", about: "The server failed; its log contains the reason", codes: codes(apierror.Internal)},
	{status: 503, name: "Unavailable", about: "The server is busy, or cannot answer now", codes: codes(apierror.RateLimited, apierror.Unavailable, apierror.ReplicaBehind), headers: "Retry-After"},
	{status: 504, name: "Timeout", about: "The answer took too long", codes: codes(apierror.Timeout)},
}

func codes(list ...apierror.Code) (texts []string) {
	for _, code := range list {
		texts = append(texts, string(code))
	}
	return texts
}

// statusOf returns the status for a code.
func statusOf(code string) int {
	for _, r := range responses {
		if slices.Contains(r.codes, code) {
			return r.status
		}
	}
	return http.StatusBadRequest
}

var responseHeaders = map[string]openapi.Header{
	"Cache-Control":    {Description: "How long the answer may be cached: permanently if it contains only final, verified blocks.", Schema: openapi.String("", 100)},
	"ETag":             {Description: "Entity tag of an answer about final blocks, or of the schema, for If-None-Match.", Schema: openapi.String("", 100)},
	"Retry-After":      {Description: "Seconds to wait.", Schema: openapi.Integer(1, 60)},
	"WWW-Authenticate": {Description: "How to authenticate (RFC 6750).", Schema: openapi.String("", 200)},
	"RateLimit-Policy": {Description: "The quota, in units of cost per minute.", Schema: openapi.String("", 100)},
	"RateLimit":        {Description: "The rest of the quota, and the seconds until it is full again.", Schema: openapi.String("", 100)},
}

// describedResponses describes the answers in OpenAPI.
func describedResponses() (all openapi.Map[openapi.Response]) {
	for _, r := range responses {
		described := openapi.Response{Description: r.about}
		for name := range strings.FieldsSeq(r.headers) {
			described.Headers.Add(name, openapi.Reference{Ref: "#/components/headers/" + name})
		}
		switch {
		case r.text > 0:
			described.Content.Add("text/plain", openapi.Media{Schema: openapi.String("", r.text)})
		case r.codes != nil:
			described.Description += " (" + strings.Join(r.codes, ", ") + ")."
			described.Content.Add("application/json", openapi.Media{Schema: openapi.To("Error")})
		case r.status == http.StatusOK:
			described.Content.Add("application/json", openapi.Media{Schema: openapi.To(r.name)})
		}
		if r.name == "Changes" {
			described.Content.Add("text/event-stream", openapi.Media{Schema: openapi.Schema{Description: "Server-sent events: id is the cursor of a change, data the object of the change."}})
		}
		all.Add(r.name, described)
	}
	return all
}
