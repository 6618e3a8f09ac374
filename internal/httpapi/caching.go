package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// keep lets everybody keep an answer for ever. The tag is weak, since the same
// answer is sent with several encodings. RFC 9110, section 8.8.3; RFC 8246.
func keep(h http.Header, b *buffer) {
	sum := sha256.Sum256(b.Bytes())
	h.Set("ETag", `W/"`+hex.EncodeToString(sum[:16])+`"`)
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
