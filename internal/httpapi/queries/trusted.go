package queries

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/parse"
)

// Bounds on the trusted documents.
const (
	maxTrusted     = 10_000
	maxTrustedFile = 64 << 20
)

// trusted holds the only documents that may run.
type trusted struct {
	read func(text string) (*Document, *failure.Error)
	// byName maps to each document its ids, its text without surrounding space, and the
	// SHA-256 of that text.
	byName map[string]*Document
	count  int
}

// find returns the document that a request names or contains.
func (t *trusted) find(r *parse.Request) (*Document, *failure.Error) {
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
// end in .graphql or .gql. It fails if there are none. more are trusted too.
func readTrusted(path string, more []string, read func(text string) (*Document, *failure.Error)) (*trusted, error) {
	t := &trusted{read: read, byName: map[string]*Document{}}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = t.addFolder(path)
	} else if err == nil {
		err = t.addManifest(path)
	}
	if err == nil && t.count == 0 {
		err = errors.New("there is no document")
	}
	if err != nil {
		return nil, fmt.Errorf("reading trusted documents: %s: %w", path, err)
	}
	t.count = 0 // more do not count.
	for _, text := range more {
		// One that exceeds the limits of this server could not run anyway.
		_ = t.add(text, parse.Hash(text))
	}
	return t, nil
}

// addFolder adds the documents below a folder. Their ids are the relative path without its
// extension, and the SHA-256 of the file.
func (t *trusted) addFolder(root string) error {
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
		return t.add(string(text), id, parse.Hash(string(text)))
	})
}

// addManifest adds the documents of a manifest: Apollo's format, or Relay's object of
// documents by id.
func (t *trusted) addManifest(path string) error {
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
		if err := t.add(o.Body, o.ID); err != nil {
			return err
		}
	}
	return nil
}

// add adds a document. It fails unless the document is valid and within the limits.
func (t *trusted) add(text string, ids ...string) error {
	if t.count++; t.count > maxTrusted {
		return fmt.Errorf("there are more than %d documents", maxTrusted)
	}
	text = strings.TrimSpace(text)
	read, failed := t.read(text)
	if failed != nil {
		return fmt.Errorf("document %s: %s", ids[0], failed.Errors[0].Message)
	}
	for _, name := range append(ids, text, parse.Hash(text)) {
		if other, ok := t.byName[name]; ok && other.Text != text {
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
