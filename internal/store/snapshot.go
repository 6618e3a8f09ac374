package store

import "mintburn/internal/store/read"

// Snapshot reads what clients ask for from one committed state of the data. It is safe for
// concurrent use, and must be closed.
type Snapshot struct{ *read.Snapshot }

// NewSnapshot returns a reader of s, which it closes.
func NewSnapshot(s *read.Snapshot) *Snapshot { return &Snapshot{s} }
