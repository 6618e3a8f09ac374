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

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/negotiate"
)

// final describes an answer that cannot change any more, or that grows only with the finalized
// blocks.
type final struct {
	// generation is the generation of the data in the answer. While the database has the same
	// one, the answer is valid.
	generation string
	// verified reports that the answer's blocks are proved complete. It is false if advances
	// is true.
	verified bool
	// advances reports that the answer grows. Such an answer is not cached here.
	advances bool
	// public lets every cache store the answer, because it answers a GET.
	public bool
	// key is the key in the response cache, or empty if the answer is not cached.
	key string
}

// encoded is an answer's body as it is sent.
type encoded struct {
	body []byte
	// parts, if set, replace body.
	parts [][]byte
	// coding is the content coding of body, or "".
	coding string
	// tag is the ETag of a public final answer, or "". immutable reports that the answer never
	// changes.
	tag       string
	immutable bool
	// cost is the value of the cost's header, or "" for REST.
	cost string
}

// responseCache caches final answers as they were sent, from the second time on that they are
// computed. It is nil if caching is disabled.
type responseCache struct {
	cached *admit.Cache[cachedResponse]
	seen   seenBefore
	// generation returns the current generation of the database.
	generation func(context.Context) (string, error)
}

// cachedResponse is an answer and its generation.
type cachedResponse struct {
	encoded
	generation string
}

// entryWeight is the memory of a cached answer in addition to its bytes, rounded up.
const entryWeight = 512

func newResponseCache(size int, generation func(context.Context) (string, error)) *responseCache {
	if size == 0 {
		return nil
	}
	return &responseCache{admit.NewCache[cachedResponse](math.MaxInt, size), make(seenBefore, 1+size/entryWeight), generation}
}

// get returns a cached answer that is still valid. A database error is left for the operation
// to report.
func (a *responseCache) get(ctx context.Context, key string) (encoded, bool) {
	found, ok := a.cached.Get(key)
	if !ok {
		return encoded{}, false
	}
	// The generation is read after the request arrived, so it reflects every earlier commit.
	generation, err := a.generation(ctx)
	if err != nil {
		return encoded{}, false
	}
	if found.generation != generation {
		a.cached.Expire(key)
		return encoded{}, false
	}
	return found.encoded, true
}

// again returns the key of a request that is not cached if the request came before, and
// otherwise "": to find out whether its answer is final takes as long as a quarter of the answer.
func (a *responseCache) again(key string) string {
	if key == "" || !a.seen.again(key) {
		return ""
	}
	return key
}

// put caches an answer. It copies the body, so the caller may reuse it.
func (a *responseCache) put(f *final, sent encoded) {
	sent.body = bytes.Clone(sent.body)
	a.cached.Put(f.key, cachedResponse{sent, f.generation}, entryWeight+len(f.key)+len(sent.body), netip.Addr{})
}

// serveCached sends the cached answer for a key. It returns false if there is none.
func (e *endpoint) serveCached(ctx context.Context, w http.ResponseWriter, r *http.Request, m negotiate.MediaType, key string) bool {
	cached, ok := e.responses.get(ctx, key)
	if !ok {
		return false
	}
	exchangeOf(ctx).cached = true
	if cached.cost != "" {
		w.Header().Set(costHeader, cached.cost)
	}
	b := e.budget.Buffer(r)
	defer e.budget.Drop(b)
	if !e.budget.Hold(b, len(cached.body)) {
		e.sendBusy(w, r, m, b)
		return true
	}
	e.deliver(w, r, m, http.StatusOK, cached)
	return true
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
