package database

import "sync"

// maxStatements bounds the texts in a cache: keys have the page size, which
// clients choose.
const maxStatements = 1_000

// Statements caches the texts of statements by key: everything that a text
// depends on. Arguments are no part of it. It is safe for concurrent use; the
// zero value is an empty cache.
type Statements[K comparable] struct {
	mu    sync.RWMutex // guards known
	known map[K]string
}

// Get returns the text of a key. It calls build when the text is not cached.
func (s *Statements[K]) Get(key K, build func() string) string {
	s.mu.RLock()
	text, ok := s.known[key]
	s.mu.RUnlock()
	if ok {
		return text
	}
	text = build()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxStatements {
		s.known = map[K]string{}
	}
	s.known[key] = text
	return text
}
