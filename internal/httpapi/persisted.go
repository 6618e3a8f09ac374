package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"mintburn/internal/nft"
)

// find returns the document that a request asks for: one that it brings, one
// that was persisted automatically, or a trusted one.
func (e *endpoint) find(r *request) (*document, *refusal) {
	switch {
	case r.document != nil:
		return r.document, nil
	case e.trusted != nil:
		return e.trusted.find(r)
	case r.hash != "":
		return e.findPersisted(r)
	case r.documentID != "" && r.query == "":
		return nil, refuse(persistedQueryNotFound, "the documentId names no document: this server has no trusted documents")
	default:
		return e.documents.read(r.query)
	}
}

// findPersisted follows Apollo's protocol of automatic persisted queries: a
// client asks by hash, and brings the document once if that is not known. Only
// what can run is kept.
func (e *endpoint) findPersisted(r *request) (*document, *refusal) {
	if known, ok := e.persisted.get(r.hash); ok && (r.query == "" || r.query == known.text) {
		return known, nil
	}
	if r.query == "" {
		// Clients know this message and bring the document.
		return nil, refuse(persistedQueryNotFound, "PersistedQueryNotFound")
	}
	if hashOf(r.query) != r.hash {
		return nil, refuseWith(http.StatusBadRequest, nft.BadUserInput, "sha256Hash is not the SHA-256 of the query, in lower-case hex")
	}
	brought, refused := e.documents.read(r.query)
	if refused == nil {
		e.persisted.put(r.hash, brought, brought.weight)
	}
	return brought, refused
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
