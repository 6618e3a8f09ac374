package httpapi

import (
	"net/http"
	"strings"

	"mintburn/internal/nft"
)

// mediaType is one of the two in which GraphQL answers.
type mediaType int

const (
	legacyJSON mediaType = iota
	graphqlResponse
)

// name is the media type as headers have it.
func (m mediaType) name() string {
	if m == graphqlResponse {
		return "application/graphql-response+json"
	}
	return "application/json"
}

// preference is how much a client likes a media type, and how exactly it said
// so: 1 for */*, 2 for application/*, 3 for the type itself.
type preference struct {
	weight    float64
	exactness int
}

// better reports whether a client prefers p to q. Of two equal weights that
// count which it named more exactly.
func (p preference) better(q preference) bool {
	return p.weight > q.weight || p.weight == q.weight && p.exactness > q.exactness
}

// negotiate chooses the media type of the answer; application/json where the
// client has no preference, application/graphql-response+json where it names
// both alike. RFC 9110, section 12.5.1; GraphQL over HTTP, "Media Types".
func negotiate(h http.Header) (mediaType, *refusal) {
	accept := h.Values("Accept")
	if strings.Join(accept, "") == "" {
		return legacyJSON, nil
	}
	var legacy, response preference
	eachWeighted(accept, func(name, parameters string, weight float64) {
		if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
			return
		}
		switch name {
		case "*/*":
			legacy.hear(weight, 1)
			response.hear(weight, 1)
		case "application/*":
			legacy.hear(weight, 2)
			response.hear(weight, 2)
		case legacyJSON.name():
			legacy.hear(weight, 3)
		case graphqlResponse.name():
			response.hear(weight, 3)
		}
	})
	switch {
	case legacy.weight == 0 && response.weight == 0:
		return legacyJSON, refuseWith(http.StatusNotAcceptable, nft.BadUserInput,
			"nothing that Accept names can be answered: want %s or %s", graphqlResponse.name(), legacyJSON.name())
	case response.better(legacy), response == legacy && response.exactness == 3:
		return graphqlResponse, nil
	default:
		return legacyJSON, nil
	}
}

// hear notes what a client said, if it never said it more exactly.
func (p *preference) hear(weight float64, exactness int) {
	if exactness > p.exactness || exactness == p.exactness && weight > p.weight {
		*p = preference{weight, exactness}
	}
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// checkContent refuses a body that is not JSON in UTF-8, as it is. A browser
// sends application/json to another origin only after asking that origin (a
// preflight request), which no form and no plain script can do.
func checkContent(h http.Header) *refusal {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), legacyJSON.name()) {
		r := refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "the Content-Type is not application/json")
		r.header = map[string]string{"Accept-Post": legacyJSON.name()}
		return r
	}
	if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
		return refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "the charset of the Content-Type is not utf-8")
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		r := refuseWith(http.StatusUnsupportedMediaType, nft.BadUserInput, "the body is compressed, which is not understood: send it as it is")
		r.header = map[string]string{"Accept-Encoding": "identity"}
		return r
	}
	return nil
}
