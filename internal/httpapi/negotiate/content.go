package negotiate

import (
	"net/http"
	"strings"

	"mintburn/internal/httpapi/failure"
	"mintburn/internal/nft"
)

// CheckContent rejects a body that is not uncompressed JSON in UTF-8, by its headers and with
// status 415. A browser sends application/json to another origin only after a preflight
// request, which forms and simple requests cannot make.
func CheckContent(h http.Header) *failure.Error {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), string(JSON)) {
		return failure.WithStatus(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Type: got %q, want application/json", failure.Brief(name, 80)).
			With("Accept-Post", string(JSON))
	}
	if charset, given := Parameter(parameters, "charset"); given && !isUTF8(charset) {
		return failure.WithStatus(http.StatusUnsupportedMediaType, nft.BadUserInput, "charset of the Content-Type: got %q, want utf-8", failure.Brief(charset, 80))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return failure.WithStatus(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Encoding: got %q, want identity or none", failure.Brief(coding, 80)).
			With("Accept-Encoding", "identity")
	}
	return nil
}
