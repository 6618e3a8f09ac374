package store

import (
	"context"
	"sync"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/nft"
)

// Building a statement takes ent as long as running it takes the database. What
// is asked for each page is built once, by ent, and its text kept. The values
// go beside it, in the order in which the text has them.

// shape is what the text of a statement depends on.
type shape struct {
	// name is that of the statement; what follows is for those whose text is
	// not always the same.
	name string
	kind nft.Kind
	// lead and where are which filter it is: see query.
	lead  string
	where int
	// low and high say that there are these bounds.
	low, high bool
	fromHigh  bool
	limit     int
}

// maxTexts bounds the texts that are kept: they have the page size, of which
// callers can choose any.
const maxTexts = 1_000

// texts keeps the texts of statements. It is safe for concurrent use.
type texts struct {
	mu    sync.RWMutex // guards known
	known map[shape]string
}

// get returns the text of a shape; build is called when it is not known.
func (t *texts) get(of shape, build func() entsql.Querier) string {
	t.mu.RLock()
	text, ok := t.known[of]
	t.mu.RUnlock()
	if ok {
		return text
	}
	text, _ = build().Query()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTexts {
		t.known = map[shape]string{}
	}
	t.known[of] = text
	return text
}

// fixed runs a statement of at most one row whose text is always the same; it
// reports whether there was one. build may put any values where args go.
func (s *Snapshot) fixed(ctx context.Context, name string, build func(*entsql.DialectBuilder) entsql.Querier, args []any, dest ...any) (bool, error) {
	text := s.store.texts.get(shape{name: name}, func() entsql.Querier { return build(s.builder()) })
	return s.rowText(ctx, text, args, dest...)
}
