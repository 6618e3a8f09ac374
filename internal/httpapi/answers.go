package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
)

// final is what is known of an answer that can not change any more.
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
	// coding is the content coding of body, or "".
	coding string
	// tag is the ETag of an answer that everybody may keep, or ""; immutable says
	// that it may be kept for ever.
	tag       string
	immutable bool
}

// answers keeps final answers in memory, as they were sent. A nil one keeps
// nothing.
type answers struct {
	kept *lru[keptAnswer]
	// generation returns the present one, of the database, on each call.
	generation func(context.Context) (string, error)
}

// keptAnswer is an answer of a generation.
type keptAnswer struct {
	encoded
	generation string
}

// keptWeight is what an answer takes beside its bytes, rounded up.
const keptWeight = 512

func newAnswers(size int, generation func(context.Context) (string, error)) *answers {
	if size == 0 {
		return nil
	}
	return &answers{newLRU[keptAnswer](math.MaxInt, size), generation}
}

// key names the answer to a request as it came: all that the answer depends on
// is its address or its body, and how it is to be compressed. The media types
// differ in the header alone. A GET has no body. The key is empty for a body
// that is longer than an address may be, and where nothing is kept.
func (a *answers) key(r *http.Request, body *buffer) string {
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
func (a *answers) get(ctx context.Context, key string) (encoded, bool) {
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
func (a *answers) put(f *final, sent encoded) {
	sent.body = bytes.Clone(sent.body)
	a.kept.put(f.key, keptAnswer{sent, f.generation}, keptWeight+len(f.key)+len(sent.body))
}

// sendKept sends the kept answer of a key, and reports whether there was one.
func (e *endpoint) sendKept(ctx context.Context, w http.ResponseWriter, r *http.Request, m mediaType, key string) bool {
	kept, ok := e.answers.get(ctx, key)
	if !ok {
		return false
	}
	e.metrics.kept.Inc()
	b := e.room.buffer()
	defer e.room.drop(b)
	if !e.room.hold(b, len(kept.body)) {
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
