package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"net/netip"
	"strings"
)

// final describes an answer that cannot change any more, or grows with the finalized
// blocks alone.
type final struct {
	// generation is the state of the data that the answer is made of. While the
	// database has it, the answer is right.
	generation string
	// verified says that its blocks are proved complete: never of one that advances.
	verified bool
	// advances says that it grows: it is not in the response cache.
	advances bool
	// public lets every cache store it: it answers a GET.
	public bool
	// key is its key in the response cache, or empty if it is not cached.
	key string
}

// encoded is the body of an answer as it is sent.
type encoded struct {
	body []byte
	// parts, if any, are the body instead.
	parts [][]byte
	// coding is the content coding of body, or "".
	coding string
	// tag is the ETag of a public final answer, or ""; immutable says that it never
	// changes.
	tag       string
	immutable bool
}

// responseCache has final answers as they were sent. A nil one has none.
type responseCache struct {
	cached *lru[cachedResponse]
	// generation returns the present generation of the database.
	generation func(context.Context) (string, error)
}

// cachedResponse is an answer made of a generation.
type cachedResponse struct {
	encoded
	generation string
}

// entryWeight is the memory of a cached answer beside its bytes, rounded up.
const entryWeight = 512

func newResponseCache(size int, generation func(context.Context) (string, error)) *responseCache {
	if size == 0 {
		return nil
	}
	return &responseCache{newLRU[cachedResponse](math.MaxInt, size), generation}
}

// get returns a cached answer that is still right. A database error is left for
// the operation to report.
func (a *responseCache) get(ctx context.Context, key string) (encoded, bool) {
	found, ok := a.cached.get(key)
	if !ok {
		return encoded{}, false
	}
	// Read after the request arrived, it includes every earlier commit.
	generation, err := a.generation(ctx)
	if err != nil {
		return encoded{}, false
	}
	if found.generation != generation {
		a.cached.expire(key)
		return encoded{}, false
	}
	return found.encoded, true
}

// put caches an answer. The caller may use its body again.
func (a *responseCache) put(f *final, sent encoded) {
	sent.body = bytes.Clone(sent.body)
	a.cached.put(f.key, cachedResponse{sent, f.generation}, entryWeight+len(f.key)+len(sent.body), netip.Addr{})
}

// serveCached sends the cached answer of a key, and reports whether there is one.
func (e *endpoint) serveCached(ctx context.Context, w http.ResponseWriter, r *http.Request, m mediaType, key string) bool {
	cached, ok := e.responses.get(ctx, key)
	if !ok {
		return false
	}
	exchangeOf(ctx).cached = true
	b := e.budget.buffer(r)
	defer e.budget.drop(b)
	if !e.budget.hold(b, len(cached.body)) {
		e.sendBusy(w, r, m, b)
		return true
	}
	e.deliver(w, r, m, http.StatusOK, cached)
	return true
}

// tagOf returns the ETag of an answer. It is weak, since the same answer is sent
// with several encodings. RFC 9110, section 8.8.3.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// allowCaching lets every cache store an answer, or only the client's where it is not
// for everybody: without asking again if it is immutable (RFC 8246), and else while the
// server confirms its tag.
func allowCaching(h http.Header, a encoded, everybody bool) {
	h.Set("ETag", a.tag)
	switch {
	case a.immutable && everybody:
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		// Another client gets the same answer from the cache, with another quota.
		h.Del(rateLimit)
		h.Del(rateLimitPolicy)
	case a.immutable:
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	case everybody:
		h.Set("Cache-Control", "no-cache")
	default:
		h.Set("Cache-Control", "private, no-cache")
	}
}

// matches reports whether If-None-Match has a tag, by weak comparison. RFC 9110,
// section 13.1.2.
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
