package httpapi

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
)

// final is what is known of an answer that cannot change any more.
type final struct {
	// generation is the state of the data that it was made of: as long as that
	// lasts, the answer is right.
	generation string
	// verified says that its blocks are proved complete.
	verified bool
	// public lets everybody keep it, who asked by GET.
	public bool
	// key names it among the kept answers, or is empty.
	key string
}

// encoded is the body of an answer as it is sent.
type encoded struct {
	body []byte
	// parts, if any, are the body instead.
	parts [][]byte
	// coding is the content coding of body, or "".
	coding string
	// tag is the ETag of an answer that everybody may keep, or ""; immutable says
	// that it may be kept for ever.
	tag       string
	immutable bool
}

// answers keeps final answers in memory, as they were sent. A nil one keeps
// nothing.
type responseCache struct {
	kept *lru[cachedResponse]
	// generation returns the present one, of the database, on each call.
	generation func(context.Context) (string, error)
}

// cachedResponse is an answer of a generation.
type cachedResponse struct {
	encoded
	generation string
}

// entryWeight is what an answer takes beside its bytes, rounded up.
const entryWeight = 512

func newResponseCache(size int, generation func(context.Context) (string, error)) *responseCache {
	if size == 0 {
		return nil
	}
	return &responseCache{newLRU[cachedResponse](math.MaxInt, size), generation}
}

// key names the answer to a request as it came: all that the answer depends on
// is its address or its body, and how it is to be compressed. The media types
// differ in the header alone. A GET has no body. The key is empty for a body
// that is longer than an address may be, and where nothing is kept.
func (a *responseCache) key(r *http.Request, body *buffer) string {
	switch {
	case a == nil || body != nil && body.Len() > maxHeader:
		return ""
	case body != nil:
		return chooseCoding(r.Header, codings...) + " POST " + body.String()
	default:
		return chooseCoding(r.Header, codings...) + " GET " + r.URL.RequestURI()
	}
}

// get returns a kept answer, if it still is the answer. An error of the
// database is for the operation to meet.
func (a *responseCache) get(ctx context.Context, key string) (encoded, bool) {
	if key == "" {
		return encoded{}, false
	}
	kept, ok := a.kept.get(key)
	if !ok {
		return encoded{}, false
	}
	// Asked for after the request has come: what was committed before is seen.
	generation, err := a.generation(ctx)
	if err != nil {
		return encoded{}, false
	}
	if kept.generation != generation {
		a.kept.drop(key)
		return encoded{}, false
	}
	return kept.encoded, true
}

// put keeps an answer. Its body may be used again by the caller.
func (a *responseCache) put(f *final, sent encoded) {
	sent.body = bytes.Clone(sent.body)
	a.kept.put(f.key, cachedResponse{sent, f.generation}, entryWeight+len(f.key)+len(sent.body), netip.Addr{})
}

// serveCached sends the kept answer of a key, and reports whether there was one.
func (e *endpoint) serveCached(ctx context.Context, w http.ResponseWriter, r *http.Request, m mediaType, key string) bool {
	kept, ok := e.responses.get(ctx, key)
	if !ok {
		return false
	}
	e.metrics.kept.Inc()
	b := e.budget.buffer(r)
	defer e.budget.drop(b)
	if !e.budget.hold(b, len(kept.body)) {
		e.sendBusy(w, r, m, b)
		return true
	}
	e.deliver(w, r, m, http.StatusOK, kept)
	return true
}

type finalKey struct{}

// withFinal makes the operation that runs with ctx set the generation of f if
// its answer is final.
func withFinal(ctx context.Context, f *final) context.Context {
	return context.WithValue(ctx, finalKey{}, f)
}

// noteFinal runs around an operation, within the extensions, so that it reads
// the same snapshot as the answer.
func (e *endpoint) noteFinal(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	f, wanted := ctx.Value(finalKey{}).(*final)
	if !wanted || response == nil || len(response.Errors) > 0 {
		return response
	}
	var err error
	o := graphql.GetOperationContext(ctx)
	if f.generation, f.verified, err = e.final(ctx, o.Operation, o.Variables); err != nil {
		e.log.WarnContext(ctx, "asking what is final", "error", err)
	}
	return response
}

// tagOf returns the ETag of an answer. It is weak, since the same answer is sent
// with several encodings. RFC 9110, section 8.8.3.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `W/"` + hex.EncodeToString(sum[:16]) + `"`
}

// keep lets everybody keep an answer: for ever if it is immutable (RFC 8246),
// and else as long as the server confirms its tag.
func keep(h http.Header, a encoded) {
	h.Set("ETag", a.tag)
	if a.immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
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

// lru caches values within a number and a weight. Each has an owner, and beyond
// a bound the owner that has the most loses the value that it used longest ago:
// no client evicts what others use by bringing much of its own. It is safe for
// concurrent use.
type lru[V any] struct {
	maxEntries, maxWeight int

	mu      sync.Mutex // guards what follows
	weight  int
	entries map[string]*list.Element
	owners  map[netip.Addr]*owned
}

// owned is what one owner has.
type owned struct {
	// order has an entry[V] for each value, the one used last in front.
	order  list.List
	weight int
}

type entry[V any] struct {
	key    string
	value  V
	weight int
	owner  netip.Addr
}

func newLRU[V any](maxEntries, maxWeight int) *lru[V] {
	return &lru[V]{maxEntries: maxEntries, maxWeight: maxWeight, entries: map[string]*list.Element{}, owners: map[netip.Addr]*owned{}}
}

// get returns the value of a key.
func (l *lru[V]) get(key string) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	element, ok := l.entries[key]
	if !ok {
		return value, false
	}
	e := element.Value.(*entry[V])
	l.owners[e.owner].order.MoveToFront(element)
	return e.value, true
}

// put caches a value, unless it is too heavy to be cached at all; others are
// evicted. The first value of a key stays.
func (l *lru[V]) put(key string, value V, weight int, owner netip.Addr) {
	if weight > l.maxWeight {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.entries[key]; ok {
		return
	}
	o := l.owners[owner]
	if o == nil {
		o = &owned{}
		l.owners[owner] = o
	}
	l.entries[key] = o.order.PushFront(&entry[V]{key, value, weight, owner})
	l.weight += weight
	o.weight += weight
	for len(l.entries) > l.maxEntries || l.weight > l.maxWeight {
		l.remove(l.largest().order.Back())
	}
}

// largest returns the owner that has most of what is beyond its bound; the
// caller must hold mu.
func (l *lru[V]) largest() (most *owned) {
	byNumber := len(l.entries) > l.maxEntries
	for _, o := range l.owners {
		if most == nil || byNumber && o.order.Len() > most.order.Len() || !byNumber && o.weight > most.weight {
			most = o
		}
	}
	return most
}

// drop forgets the value of a key.
func (l *lru[V]) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element, ok := l.entries[key]; ok {
		l.remove(element)
	}
}

// remove forgets a value; the caller must hold mu.
func (l *lru[V]) remove(element *list.Element) {
	e := element.Value.(*entry[V])
	o := l.owners[e.owner]
	o.order.Remove(element)
	if o.weight -= e.weight; o.order.Len() == 0 {
		delete(l.owners, e.owner)
	}
	delete(l.entries, e.key)
	l.weight -= e.weight
}
