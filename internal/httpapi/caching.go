package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// tagOf returns the ETag of an answer. It is weak, since the same answer is sent
// with several encodings. RFC 9110, section 8.8.3.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// keep lets everybody keep an answer with that tag for ever. RFC 8246.
func keep(h http.Header, tag string) {
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
}

// matches reports whether a tag is one that a client has: If-None-Match, by
// weak comparison. RFC 9110, section 13.1.2.
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
