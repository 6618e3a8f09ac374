package negotiate

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
)

// MediaType is a media type of answers.
type MediaType string

// The media types that the server sends. JSON is the older one, whose status is 200 even for a
// request that fails; GraphQLResponse is GraphQL over HTTP's own. EventStream is that of
// server-sent events.
const (
	JSON            MediaType = "application/json"
	GraphQLResponse MediaType = "application/graphql-response+json"
	EventStream     MediaType = "text/event-stream"
)

// The forms of answers to subscriptions, besides [EventStream]: Apollo's multipart subscriptions,
// and the subprotocol of WebSockets, which is no media type.
const (
	Multipart MediaType = "multipart/mixed"
	WebSocket MediaType = "graphql-transport-ws"
)

// ChooseStream chooses the media type of a stream that a client names: [EventStream],
// [Multipart], or "" if it names neither. Several with the same weight are equal, and the first
// of the two is chosen.
func ChooseStream(h http.Header) (chosen MediaType) {
	var most float64
	eachWeighted(h.Values("Accept"), func(name, parameters string, weight float64) {
		// Apollo's clients also ask for multipart/mixed to get parts of one answer.
		_, subscribes := Parameter(parameters, "subscriptionSpec")
		stream := MediaType(name) == EventStream || MediaType(name) == Multipart && subscribes
		if stream && (weight > most || weight == most && chosen == Multipart) {
			chosen, most = MediaType(name), weight
		}
	})
	return chosen
}

// preference is a client's weight for a media type, and the exactness of the media range that
// set it: 1 for */*, 2 for application/*, 3 for the type itself.
type preference struct {
	weight    float64
	exactness int
}

// ChooseMediaType chooses the media type of the answer: application/json if the client has no
// preference, application/graphql-response+json if it names both with the same weight. If the
// client accepts neither, it returns application/json and an error with status 406. RFC 9110,
// section 12.5.1; GraphQL over HTTP, "Media Types".
func ChooseMediaType(h http.Header) (MediaType, *failure.Error) {
	accept := h.Values("Accept")
	if strings.Join(accept, "") == "" {
		return JSON, nil
	}
	var legacy, response preference
	eachWeighted(accept, func(name, parameters string, weight float64) {
		if charset, given := Parameter(parameters, "charset"); given && !isUTF8(charset) {
			return
		}
		switch MediaType(name) {
		case "*/*":
			legacy.update(weight, 1)
			response.update(weight, 1)
		case "application/*":
			legacy.update(weight, 2)
			response.update(weight, 2)
		case JSON:
			legacy.update(weight, 3)
		case GraphQLResponse:
			response.update(weight, 3)
		}
	})
	// By weight, then by exactness.
	order := cmp.Or(cmp.Compare(response.weight, legacy.weight), cmp.Compare(response.exactness, legacy.exactness))
	switch {
	case legacy.weight == 0 && response.weight == 0:
		return JSON, failure.WithStatus(http.StatusNotAcceptable, apierror.BadUserInput,
			"Accept allows no supported media type: want %s or %s", GraphQLResponse, JSON)
	case order > 0, order == 0 && response.exactness == 3:
		return GraphQLResponse, nil
	default:
		return JSON, nil
	}
}

// update records a weight, unless the client has named a more exact range.
func (p *preference) update(weight float64, exactness int) {
	if exactness > p.exactness || exactness == p.exactness && weight > p.weight {
		*p = preference{weight, exactness}
	}
}

// WantsPage reports whether a browser visits the endpoint itself: the URL has no parameters,
// and the client prefers text/html to every supported media type.
func WantsPage(r *http.Request) bool {
	if r.URL.RawQuery != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	var html, answer float64
	eachWeighted(r.Header.Values("Accept"), func(name, _ string, weight float64) {
		switch name {
		case "text/html":
			html = max(html, weight)
		case "*/*", "application/*", string(JSON), string(GraphQLResponse):
			answer = max(answer, weight)
		}
	})
	return html > answer
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// CheckContent rejects a body that is not uncompressed JSON in UTF-8, by its headers and with
// status 415. A browser sends application/json to another origin only after a preflight
// request, which forms and simple requests cannot make.
func CheckContent(h http.Header) *failure.Error {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), string(JSON)) {
		return failure.WithStatus(http.StatusUnsupportedMediaType, apierror.BadUserInput, "Content-Type: got %q, want application/json", failure.Brief(name, 80)).
			With("Accept-Post", string(JSON))
	}
	if charset, given := Parameter(parameters, "charset"); given && !isUTF8(charset) {
		return failure.WithStatus(http.StatusUnsupportedMediaType, apierror.BadUserInput, "charset of the Content-Type: got %q, want utf-8", failure.Brief(charset, 80))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return failure.WithStatus(http.StatusUnsupportedMediaType, apierror.BadUserInput, "Content-Encoding: got %q, want identity or none", failure.Brief(coding, 80)).
			With("Accept-Encoding", "identity")
	}
	return nil
}

// eachWeighted calls visit for each member of a header such as Accept, with its name in lower
// case, its parameters and its weight, 1 by default. Members with an invalid weight are
// skipped. RFC 9110, section 12.4.2.
func eachWeighted(values []string, visit func(name, parameters string, weight float64)) {
	for _, value := range values {
		for member := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(member, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			weight, ok := weightOf(parameters)
			if name != "" && ok {
				visit(name, parameters, weight)
			}
		}
	}
}

// weightOf returns the parameter q, or 1 without it. ok is false if it is invalid.
func weightOf(parameters string) (weight float64, ok bool) {
	text, found := Parameter(parameters, "q")
	if !found {
		return 1, true
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && weight >= 0 && weight <= 1
}

// Parameter returns the value of a parameter in a list such as "a=1;b=2", without quotes, and
// whether it is there. Names are the same in upper and lower case.
func Parameter(parameters, name string) (value string, found bool) {
	for one := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(one, "=")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return "", false
}
