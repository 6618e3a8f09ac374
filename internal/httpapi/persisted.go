package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/netip"

	"mintburn/internal/nft"
)

// persisted has documents by their hashes, in two segments, so that documents
// that are brought and never asked for do not evict those that are.
type persisted struct {
	// brought are those that were brought, used those that were used again since.
	brought, used *lru[*document]
}

func newPersisted() *persisted {
	return &persisted{
		brought: newLRU[*document](cachedDocuments/4, cachedBytes/4),
		used:    newLRU[*document](cachedDocuments, cachedBytes),
	}
}

// get returns the document of a hash, and keeps it as one in use.
func (p *persisted) get(hash string, client netip.Addr) (*document, bool) {
	if known, ok := p.used.get(hash); ok {
		return known, true
	}
	known, ok := p.brought.get(hash)
	if ok {
		p.used.put(hash, known, known.weight, client)
		p.brought.drop(hash)
	}
	return known, ok
}

// put keeps a document that a client brought.
func (p *persisted) put(hash string, d *document, client netip.Addr) {
	p.brought.put(hash, d, d.weight, client)
}

// findPersisted follows Apollo's protocol of automatic persisted queries: a
// client asks by hash, and brings the document once if that is not known. Only
// what can run is kept.
func (e *endpoint) findPersisted(r *request, raise func(cost int) *refusal) (*document, *refusal) {
	if known, ok := e.persisted.get(r.hash, r.client); ok && (r.query == "" || r.query == known.text) {
		return known, nil
	}
	if r.query == "" {
		// Clients know this message and bring the document.
		return nil, refuse(persistedQueryNotFound, "PersistedQueryNotFound")
	}
	if hashOf(r.query) != r.hash {
		return nil, refuseWith(http.StatusBadRequest, nft.BadUserInput, "sha256Hash is not that of the query: want its SHA-256 in lower-case hex")
	}
	brought, refused := e.documents.read(r.query, r.client, raise)
	if refused == nil {
		e.persisted.put(r.hash, brought, r.client)
	}
	return brought, refused
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
