package respond

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"mintburn/internal/httpapi/admit"
)

// encoded is an answer's body as it is sent.
type encoded struct {
	body []byte
	// parts, if set, replace body.
	parts [][]byte
	// coding is the content coding of body, or "".
	coding string
	// tag is the ETag of a final answer, or "". immutable reports that the answer never
	// changes.
	tag       string
	immutable bool
}

// tagOf returns the ETag of an answer. It is weak, because the same answer is sent with
// several codings. RFC 9110, section 8.8.3.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// allowCaching lets caches store an answer: every cache if the answer is for everybody, and
// otherwise only the client's own. An immutable answer may be reused without revalidation (RFC
// 8246), any other only while the server confirms its ETag.
func allowCaching(h http.Header, a encoded, everybody bool) {
	h.Set("ETag", a.tag)
	switch {
	case a.immutable && everybody:
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		// Another client gets the same answer from a cache, but has another quota.
		h.Del(admit.RateLimit)
		h.Del(admit.RateLimitPolicy)
	case a.immutable:
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	case everybody:
		h.Set("Cache-Control", "no-cache")
	default:
		h.Set("Cache-Control", "private, no-cache")
	}
}

// matches reports whether If-None-Match contains a tag, by weak comparison. RFC 9110, section
// 13.1.2.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for _, known := range strings.Split(header, ",") {
			known = strings.TrimSpace(known)
			if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
