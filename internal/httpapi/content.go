package httpapi

import (
	"net/http"
	"strings"

	"mintburn/internal/nft"
)

// checkContent rejects a body that is not uncompressed JSON in UTF-8. A browser sends
// application/json to another origin only after a preflight request, which forms and simple
// requests cannot make.
func checkContent(h http.Header) *requestError {
	name, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(name), string(legacyJSON)) {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Type: got %q, want application/json", brief(name, 80)).
			with("Accept-Post", string(legacyJSON))
	}
	if charset, given := parameter(parameters, "charset"); given && !isUTF8(charset) {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "charset of the Content-Type: got %q, want utf-8", brief(charset, 80))
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return statusError(http.StatusUnsupportedMediaType, nft.BadUserInput, "Content-Encoding: got %q, want identity or none", brief(coding, 80)).
			with("Accept-Encoding", "identity")
	}
	return nil
}
