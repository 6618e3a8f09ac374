package store

// Snapshot reads what clients ask for from one committed state of the data. It is safe for
// concurrent use, and must be closed.
type Snapshot struct{ *State }

// NewSnapshot returns a reader of s, which it closes.
func NewSnapshot(s *State) *Snapshot { return &Snapshot{s} }
