package httpapi

import (
	"cmp"
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

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/parse"
)

// persisted caches documents by hash in two segments, so that unused documents do not evict
// used ones.
type persisted struct {
	// received holds the documents that clients sent, used those requested by hash since then.
	received, used *admit.Cache[*document]
}

// get returns the document with a hash, and moves it to the used ones.
func (p *persisted) get(hash string, client netip.Addr) (*document, bool) {
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

// findPersisted implements Apollo's automatic persisted queries: a client sends a hash, and
// the document only if the hash is unknown. Only valid documents are persisted.
func (e *endpoint) findPersisted(r *request, raise func(cost int) *failure.Error) (*document, *failure.Error) {
	if known, ok := e.persisted.get(r.Hash, r.client); ok && (r.Query == "" || r.Query == known.text) {
		return known, nil
	}
	if r.Query == "" {
		// Clients recognise this message and then send the document.
		return nil, failure.New(failure.PersistedQueryNotFound, "PersistedQueryNotFound")
	}
	if hashOf(r.Query) != r.Hash {
		return nil, failure.WithStatus(http.StatusBadRequest, apierror.BadUserInput, "sha256Hash or documentId does not match the query: want its SHA-256 in lower-case hex")
	}
	received, failed := e.queries.read(r.Query, r.client, raise)
	if failed == nil {
		e.persisted.received.Put(r.Hash, received, received.weight, r.client)
	}
	return received, failed
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

// trusted holds the only documents that may run.
type trusted struct {
	// byName maps to each document its ids, its text without surrounding space, and the
	// SHA-256 of that text.
	byName map[string]*document
	count  int
}

// find returns the document that a request names or contains.
func (t *trusted) find(r *request) (*document, *failure.Error) {
	for _, name := range []string{r.DocumentID, r.Hash, strings.TrimSpace(r.Query)} {
		if name == "" {
			continue
		}
		if known := cmp.Or(t.byName[name], t.byName[strings.TrimPrefix(name, parse.HashPrefix)]); known != nil {
			return known, nil
		}
		break
	}
	return nil, failure.New(failure.PersistedQueryNotFound,
		"only trusted documents run here: want the id of one as documentId, or its hash as the sha256Hash of persistedQuery")
}

// readTrusted reads documents from a manifest, or from all files below a folder whose names
// end in .graphql or .gql. It fails if there are none. Those of Explore are trusted too.
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
	t.count = 0 // Those of Explore do not count.
	own, err := page.Documents(page.Assets)
	for _, text := range own {
		// One that exceeds the limits of this server could not run anyway.
		_ = t.add(d, text, hashOf(text))
	}
	return t, err
}

// addFolder adds the documents below a folder. Their ids are the relative path without its
// extension, and the SHA-256 of the file.
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

// addManifest adds the documents of a manifest: Apollo's format, or Relay's object of
// documents by id.
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
		return fmt.Errorf("unknown format %s: want apollo-persisted-query-manifest", format)
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

// add adds a document. It fails unless the document is valid and within the limits.
func (t *trusted) add(d *queryCache, text string, ids ...string) error {
	if t.count++; t.count > maxTrusted {
		return fmt.Errorf("there are more than %d documents", maxTrusted)
	}
	text = strings.TrimSpace(text)
	read, failed := d.read(text, netip.Addr{}, free)
	if failed != nil {
		return fmt.Errorf("document %s: %s", ids[0], failed.Errors[0].Message)
	}
	for _, name := range append(ids, text, hashOf(text)) {
		if other, ok := t.byName[name]; ok && other.text != text {
			return fmt.Errorf("document %s: the id already belongs to another document", ids[0])
		}
		if name != "" {
			t.byName[name] = read
		}
	}
	return nil
}

// readBounded reads a file of at most maxTrustedFile bytes.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxTrustedFile {
		return nil, fmt.Errorf("%s: want a regular file of at most %d bytes", path, maxTrustedFile)
	}
	return os.ReadFile(path)
}
