package queries

import (
	"context"
	"hash/maphash"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
)

// Queries finds the documents of requests, and caches those that were seen before. Clients that
// write values into their documents send each document once, and would evict useful ones.
type Queries struct {
	reader
	cache     *admit.Cache[*Document]
	seen      seenBefore
	persisted persisted
	// trusted is nil if every document may run.
	trusted *trusted
}

// cachedDocuments and cachedBytes bound each cache of documents.
const cachedDocuments, cachedBytes = 1_000, 32 << 20

// New returns empty caches. scalars are those of [fastql.Schema]. Without introspection, documents
// cannot query the schema, and errors do not suggest its names.
func New(schema *ast.Schema, scalars map[string]func(ctx context.Context, v any) error, introspection bool, limits cost.Limits) *Queries {
	cache := func(part int) *admit.Cache[*Document] {
		return admit.NewCache[*Document](cachedDocuments/part, cachedBytes/part)
	}
	return &Queries{
		reader: reader{schema, scalars, validationRules(introspection), limits, introspection},
		cache:  cache(1), seen: make(seenBefore, 4096), persisted: persisted{cache(4), cache(1)},
	}
}

// Trust lets only the documents of a folder or a manifest run, and more.
func (q *Queries) Trust(path string, more []string) (err error) {
	q.trusted, err = readTrusted(path, more, func(text string) (*Document, *failure.Error) { return q.cached(text, netip.Addr{}, free) })
	return err
}

// Find returns the document of a request: a trusted, a persisted or a sent one. raise is called with
// the cost of a validation, before it. A cached document belongs to the client that sent it first.
func (q *Queries) Find(r *parse.Request, client netip.Addr, raise func(cost int) *failure.Error) (*Document, *failure.Error) {
	switch {
	case q.trusted != nil:
		return q.trusted.find(r)
	case r.Hash != "":
		return q.findPersisted(r, client, raise)
	case r.DocumentID != "" && r.Query == "":
		return nil, failure.New(failure.PersistedQueryNotFound, "the documentId names no document: this server has no trusted documents; want sha256: and the SHA-256 of a document in hex")
	default:
		return q.cached(r.Query, client, raise)
	}
}

// findPersisted implements Apollo's automatic persisted queries: a client sends a hash, and
// the document only if the hash is unknown. Only valid documents are persisted.
func (q *Queries) findPersisted(r *parse.Request, client netip.Addr, raise func(cost int) *failure.Error) (*Document, *failure.Error) {
	if known, ok := q.persisted.get(r.Hash, client); ok && (r.Query == "" || r.Query == known.Text) {
		return known, nil
	}
	if r.Query == "" {
		// Clients recognise this message and then send the document.
		return nil, failure.New(failure.PersistedQueryNotFound, "PersistedQueryNotFound")
	}
	if parse.Hash(r.Query) != r.Hash {
		return nil, failure.WithStatus(http.StatusBadRequest, apierror.BadUserInput, "sha256Hash or documentId does not match the query: want its SHA-256 in lower-case hex")
	}
	received, failed := q.cached(r.Query, client, raise)
	if failed == nil {
		q.persisted.received.Put(r.Hash, received, received.weight, client)
	}
	return received, failed
}

// cached returns the document of a text from the cache, or reads it.
func (q *Queries) cached(text string, client netip.Addr, raise func(cost int) *failure.Error) (*Document, *failure.Error) {
	if known, ok := q.cache.Get(text); ok {
		return known, nil
	}
	read, failed := q.read(text, raise)
	if failed == nil && q.seen.again(text) {
		q.cache.Put(text, read, read.weight, client)
	}
	return read, failed
}

// Memory returns how many bytes a document takes that only its user keeps.
func (q *Queries) Memory(d *Document) int {
	if known, ok := q.cache.Get(d.Text); q.trusted != nil || d.Route != "" || ok && known == d {
		return 0
	}
	return d.weight
}

// Stats returns the state of each cache.
func (q *Queries) Stats() map[string]admit.CacheStats {
	return map[string]admit.CacheStats{"queries": q.cache.Stats(), "persisted": q.persisted.stats()}
}

// seenBefore holds the hashes of recent texts, one per slot: a newer text replaces an older
// one. It is safe for concurrent use.
type seenBefore []atomic.Uint64

// seed prevents clients from choosing texts that share a slot.
var seed = maphash.MakeSeed()

// again records a text and reports whether it was recorded before. It may have forgotten the
// text, and mistakes one other text in 2^64 for it.
func (l seenBefore) again(text string) bool {
	hash := maphash.String(seed, text)
	return l[hash%uint64(len(l))].Swap(hash) == hash
}

// persisted caches documents by hash in two segments, so that unused documents do not evict
// used ones.
type persisted struct {
	// received holds the documents that clients sent, used those requested by hash since then.
	received, used *admit.Cache[*Document]
}

// get returns the document with a hash, and moves it to the used ones.
func (p *persisted) get(hash string, client netip.Addr) (*Document, bool) {
	if known, ok := p.used.Get(hash); ok {
		return known, true
	}
	known, ok := p.received.Get(hash)
	if ok {
		p.used.Put(hash, known, known.weight, client)
		p.received.Drop(hash)
	}
	return known, ok
}

// stats describe both segments as one cache.
func (p *persisted) stats() admit.CacheStats {
	received, used := p.received.Stats(), p.used.Stats()
	return admit.CacheStats{Hits: received.Hits + used.Hits, Misses: received.Misses, Entries: received.Entries + used.Entries, Bytes: received.Bytes + used.Bytes}
}
