package database_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// traceKey is the key of a value in the contexts of reads.
type traceKey struct{}

// traced records the calls of [database.Options.Trace].
type traced struct {
	mu    sync.Mutex // guards spans
	spans []tracedSpan
}

// tracedSpan is one call and its result.
type tracedSpan struct {
	texts  []string
	within any
	ended  bool
	err    error
}

func (n *traced) trace(ctx context.Context) (end func([]string, error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	within := ctx.Value(traceKey{})
	if within == nil {
		return nil
	}
	n.spans = append(n.spans, tracedSpan{within: within})
	i := len(n.spans) - 1
	return func(texts []string, err error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.spans[i].texts, n.spans[i].ended, n.spans[i].err = texts, true, err
	}
}

// TestTrace checks that each round trip is traced with the texts of its statements and the
// context of its reader, and that its span ends after its rows are read.
func TestTrace(t *testing.T) {
	for _, test := range []struct {
		name string
		dsn  func() string
		// together is the number of spans of two concurrent reads.
		together int
	}{
		{"sqlite", func() string { return filepath.Join(t.TempDir(), "trace.db") }, 2},
		{"postgres", func() string { return pgtest.DSN(t) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var noted traced
			db, err := database.Open(t.Context(), test.dsn(), database.Options{Trace: noted.trace})
			expect.NoError(t, err)
			t.Cleanup(func() { _ = db.Close() })
			ctx := context.WithValue(t.Context(), traceKey{}, "read")
			want := func(what string, spans int, texts ...string) {
				t.Helper()
				var got []string
				for _, s := range noted.spans {
					got = append(got, s.texts...)
					if !s.ended || s.err != nil || s.within != "read" {
						t.Errorf("%s: %+v", what, s)
					}
				}
				if len(noted.spans) != spans || !slices.Equal(got, texts) {
					t.Errorf("%s: %d spans of %q, want %d of %q", what, len(noted.spans), got, spans, texts)
				}
				noted.spans = nil
			}
			read := func(*database.Row) error {
				if noted.spans[len(noted.spans)-1].ended {
					t.Error("a span ended before its rows were read")
				}
				return nil
			}
			expect.NoError(t, db.Query(ctx, "SELECT 1", nil, read))
			want("a query", 1, "SELECT 1")
			expect.NoError(t, db.Query(t.Context(), "SELECT 0", nil, func(*database.Row) error { return nil }))
			want("an untraced query", 0)
			s := db.Snapshot()
			defer func() { _ = s.Close() }()
			texts := []string{"SELECT 2", "SELECT 3"}
			expect.NoError(t, s.Together(ctx, 2, func(ctx context.Context, i int) error { return s.Run(ctx, texts[i], nil, read) }))
			want("two reads", test.together, texts...)
			bad := errors.New("bad row")
			if err := s.Run(ctx, "SELECT 4", nil, func(*database.Row) error { return bad }); !errors.Is(err, bad) || !errors.Is(noted.spans[0].err, bad) {
				t.Errorf("the read ended with %v, its span with %v", err, noted.spans[0].err)
			}
		})
	}
}
