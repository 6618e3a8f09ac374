package following

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/process"
	"mintburn/internal/store/check"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// warned is a log handler that ends a context at the first line.
type warned struct {
	bytes.Buffer
	end func()
}

func (w *warned) Write(line []byte) (int, error) {
	defer w.end()
	return w.Buffer.Write(line)
}

// TestCheckCounters_WhileFollowing checks that differing counters are repaired in the
// background, with a warning.
func TestCheckCounters_WhileFollowing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("follows a node")
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 30, 100
	node.Generate(contents)
	db := filepath.Join(t.TempDir(), "counters.db")
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := &warned{end: cancel}
	e := &process.Env{Console: console.Console{Log: slog.New(slog.DiscardHandler), Every: time.Minute}, Events: process.NewEvents(), Now: time.Now}
	c := &Following{Nodes: Nodes{RPC: []string{node.URL}}, HeaderDepth: HeaderDepth, ReceiptsDepth: ReceiptsDepth, GiveUpAfter: time.Hour}
	_, err = c.Follow(t.Context(), e, s, Decoding{}, true)
	expect.NoError(t, err)
	lines := 0
	checked := func() check.Result {
		found, err := check.Run(t.Context(), s, check.Options{Report: func(string) { lines++ }})
		expect.NoError(t, err)
		return found
	}
	if found := checked(); found.Differences > 0 {
		t.Fatalf("%+v", found)
	}
	spoil(t, db, "UPDATE counters SET n = n + 1 WHERE id = x'002a000000000000000000'")
	if found := checked(); found.Left != 1 {
		t.Fatalf("%+v, want one difference", found)
	}
	e.Log = slog.New(slog.NewTextHandler(log, nil))
	if err := checkCounters(ctx, e, s, time.Millisecond); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if line := log.String(); !strings.Contains(line, "level=WARN") || !strings.Contains(line, "counters of mints, blocks 0 to") {
		t.Errorf("it logged %q", line)
	}
	// The warning precedes the repair, which the end of ctx may have cancelled.
	counters := check.NewCounters(s, func(string) {})
	for range 1000 {
		expect.NoError(t, counters.Step(t.Context()))
	}
	if found := checked(); found.Differences > 0 {
		t.Errorf("%+v after the repair", found)
	}
}

// spoil changes a database behind the program's back.
func spoil(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	expect.NoError(t, err)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
