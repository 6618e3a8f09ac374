package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"mintburn/internal/nft"
)

// persisted has documents by their hashes, in two segments, so that unused
// documents do not evict used ones.
type persisted struct {
	// brought has the documents that clients sent, used those that were named since.
	brought, used *lru[*document]
}

// get returns the document of a hash, and moves it to the used ones.
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

// stats describe both segments as one cache.
func (p *persisted) stats() cacheStats {
	brought, used := p.brought.stats(), p.used.stats()
	return cacheStats{brought.hits + used.hits, brought.misses, brought.entries + used.entries, brought.bytes + used.bytes}
}

// findPersisted follows Apollo's protocol of automatic persisted queries: a client
// sends a hash, and the document once if the hash is unknown. Only valid documents
// are persisted.
func (e *endpoint) findPersisted(r *request, raise func(cost int) *requestError) (*document, *requestError) {
	if known, ok := e.persisted.get(r.hash, r.client); ok && (r.query == "" || r.query == known.text) {
		return known, nil
	}
	if r.query == "" {
		// Clients know this message, and send the document.
		return nil, failf(persistedQueryNotFound, "PersistedQueryNotFound")
	}
	if hashOf(r.query) != r.hash {
		return nil, statusError(http.StatusBadRequest, nft.BadUserInput, "sha256Hash is not that of the query: want its SHA-256 in lower-case hex")
	}
	brought, failed := e.queries.read(r.query, r.client, raise)
	if failed == nil {
		e.persisted.brought.put(r.hash, brought, brought.weight, r.client)
	}
	return brought, failed
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Bounds on the trusted documents.
const (
	maxTrusted     = 10_000
	maxTrustedFile = 64 << 20
)

// trusted has the documents that may run, where no others may.
type trusted struct {
	// byName has each document by its id, by its text without the space around
	// it, and by the SHA-256 of that text.
	byName map[string]*document
	count  int
}

// find returns the document that a request names or has.
func (t *trusted) find(r *request) (*document, *requestError) {
	for _, name := range []string{r.documentID, r.hash, strings.TrimSpace(r.query)} {
		if name == "" {
			continue
		}
		if known, ok := t.byName[name]; ok {
			return known, nil
		}
		break
	}
	return nil, failf(persistedQueryNotFound,
		"only trusted documents run here, and this is none: name one as documentId or as the sha256Hash of persistedQuery")
}

// readTrusted reads documents from a manifest, or from the files of a folder
// whose names end in .graphql or .gql, at any depth.
func readTrusted(path string, d *queryCache) (*trusted, error) {
	t := &trusted{byName: map[string]*document{}}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = t.addFolder(path, d)
	} else if err == nil {
		err = t.addManifest(path, d)
	}
	if err == nil && t.count == 0 {
		err = errors.New("there is no document")
	}
	if err != nil {
		return nil, fmt.Errorf("reading trusted documents: %s: %w", path, err)
	}
	return t, nil
}

// addFolder adds the documents of a folder; the id is the path within it
// without its ending, or the SHA-256 of the file.
func (t *trusted) addFolder(root string, d *queryCache) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		ending := filepath.Ext(path)
		if err != nil || entry.IsDir() || ending != ".graphql" && ending != ".gql" {
			return err
		}
		text, err := readBounded(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		id := filepath.ToSlash(strings.TrimSuffix(relative, ending))
		return t.add(d, string(text), id, hashOf(string(text)))
	})
}

// addManifest adds the documents of a manifest: Apollo's, or an object of
// documents by id, as Relay writes it.
func (t *trusted) addManifest(path string, d *queryCache) error {
	text, err := readBounded(path)
	if err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("want a JSON object: %w", err)
	}
	type operation struct{ ID, Body string }
	var operations []operation
	switch format, ok := members["format"]; {
	case !ok:
		for id, raw := range members {
			var body string
			if err := json.Unmarshal(raw, &body); err != nil {
				return fmt.Errorf("document %s: want a string: %w", id, err)
			}
			operations = append(operations, operation{id, body})
		}
	case string(format) != `"apollo-persisted-query-manifest"`:
		return fmt.Errorf("the format %s is not understood: want apollo-persisted-query-manifest", format)
	default:
		if err := json.Unmarshal(members["operations"], &operations); err != nil {
			return fmt.Errorf("operations: %w", err)
		}
	}
	for _, o := range operations {
		if err := t.add(d, o.Body, o.ID); err != nil {
			return err
		}
	}
	return nil
}

// add adds a document, which must be valid and within the limits.
func (t *trusted) add(d *queryCache, text string, ids ...string) error {
	if t.count++; t.count > maxTrusted {
		return fmt.Errorf("there are more than %d documents", maxTrusted)
	}
	text = strings.TrimSpace(text)
	read, failed := d.read(text, netip.Addr{}, free)
	if failed != nil {
		return fmt.Errorf("document %s: %s", ids[0], failed.errors[0].Message)
	}
	for _, name := range append(ids, text, hashOf(text)) {
		if other, ok := t.byName[name]; ok && other.text != text {
			return fmt.Errorf("document %s: the id belongs to another document too", ids[0])
		}
		if name != "" {
			t.byName[name] = read
		}
	}
	return nil
}

// readBounded reads a file.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxTrustedFile {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxTrustedFile)
	}
	return os.ReadFile(path)
}
