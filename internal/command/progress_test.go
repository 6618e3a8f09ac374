package command

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// TestProgress_LogLines checks that work without a terminal logs its progress. The interval
// is so short that there is a line at the end.
func TestProgress_LogLines(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("follows a node")
	}
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 30, 10
	node.Generate(contents)
	db := opening{location: location{name: name{DB: filepath.Join(t.TempDir(), "progress.db")}}}
	loaded := opening{location: location{name: name{DB: filepath.Join(t.TempDir(), "loaded.db")}}}
	load := func(ctx context.Context, e *env) error {
		s, err := write.Open(ctx, loaded.DB, write.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		if err := write.LoadOf(s).Begin(ctx); err != nil {
			return err
		}
		return finishLoad(ctx, e, s)
	}
	from := nodes{RPC: []string{node.URL}}
	sync := &syncCommand{opening: db, once: once{true}, following: following{nodes: from, ReceiptsDepth: 100, HeaderDepth: 1000}}
	for _, c := range []struct {
		name, stdout, line string
		run                func(context.Context, *env) error
	}{
		{"sync", `^Indexed 31 blocks with 300 mints and burns, up to block 30\.\n$`, `blocks=31 .*records=300 .*percent=100`, sync.Run},
		{"sync again", `^Indexed nothing: the database is at the head of the chain\.\n$`, ``, sync.Run},
		{"verify", `^Verified 31 blocks`, `blocks=31 .*percent=100`, (&verifyCommand{opening: db, nodes: from}).Run},
		{"export", `^{`, `records=\d+ records_per_second=\d+ percent=100`, (&exportCommand{opening: db, What: "mints", Format: "ndjson"}).Run},
		{"indexes", `^$`, `steps=(\d+) .*percent=100`, load},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			e := &env{stdout: &stdout, stderr: &stderr, log: slog.New(slog.NewTextHandler(&stderr, nil)), events: newEvents(), every: time.Microsecond}
			expect.NoError(t, c.run(t.Context(), e))
			if !regexp.MustCompile(c.line).MatchString(stderr.String()) {
				t.Errorf("no line with %s in %s", c.line, stderr.String())
			}
			if !regexp.MustCompile(c.stdout).MatchString(stdout.String()) {
				t.Errorf("it printed %.200q, want %s", stdout.String(), c.stdout)
			}
		})
	}
}

// TestWindow checks that rates are those of the last span, and never negative.
func TestWindow(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	w := window{span: 30 * time.Second}
	for i, c := range []struct {
		second       int
		count, grown int64
		seconds      float64
	}{
		{0, 0, 0, 0}, {10, 1000, 1000, 10}, {30, 3000, 3000, 30}, {40, 3010, 2010, 30}, {60, 3020, 20, 30}, {200, 3020, 0, 140}, {210, 2000, 0, 150}, {205, 2000, 0, 145}, {100, 2000, 0, 40},
	} {
		grown, seconds := w.since(start.Add(time.Duration(c.second)*time.Second), c.count)
		if grown[0] != c.grown || seconds != c.seconds {
			t.Errorf("sample %d: grown by %d in %g s, want %d in %g s", i, grown[0], seconds, c.grown, c.seconds)
		}
	}
}

// TestProgress_Bounds checks that no line has more than 100 percent or a negative time, even if
// the work grows or shrinks.
func TestProgress_Bounds(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int64{{150, 100}, {50, 100}, {100, 100}, {1 << 40, 1}, {7, -3}} {
		var stderr bytes.Buffer
		e := &env{stderr: &stderr, log: slog.New(slog.NewTextHandler(&stderr, nil)), every: time.Nanosecond}
		newProgress(e, "bytes", func() (int64, int64) { return c[0], c[1] }).stop()
		if text := stderr.String(); !strings.Contains(text, "bytes=") || regexp.MustCompile(`percent=(-|[2-9]\d\d|1[1-9]\d|10[1-9]|\d{4})|eta=-|second=-`).MatchString(text) {
			t.Errorf("%v: %s", c, text)
		}
	}
}
