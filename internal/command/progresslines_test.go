package command

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
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
	db := opening.Opening{Location: opening.Location{Name: opening.Name{DB: filepath.Join(t.TempDir(), "progress.db")}}}
	loaded := opening.Opening{Location: opening.Location{Name: opening.Name{DB: filepath.Join(t.TempDir(), "loaded.db")}}}
	load := func(ctx context.Context, e *process.Env) error {
		s, err := write.Open(ctx, loaded.DB, write.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		if err := write.LoadOf(s).Begin(ctx); err != nil {
			return err
		}
		return opening.FinishLoad(ctx, e, s)
	}
	from := following.Nodes{RPC: []string{node.URL}}
	sync := &syncCommand{Opening: db, once: once{true}, Following: following.Following{Nodes: from, ReceiptsDepth: 100, HeaderDepth: 1000}}
	for _, c := range []struct {
		name, stdout, line string
		run                func(context.Context, *process.Env) error
	}{
		{"sync", `^Indexed 31 blocks with 300 mints and burns, up to block 30\.\n$`, `blocks=31 .*records=300 .*percent=100`, sync.Run},
		{"sync again", `^Indexed nothing: the database is at the head of the chain\.\n$`, ``, sync.Run},
		{"verify", `^Verified 31 blocks`, `blocks=31 .*percent=100`, (&verifyCommand{Opening: db, Nodes: from}).Run},
		{"export", `^{`, `records=\d+ records_per_second=\d+ percent=100`, (&exportCommand{Opening: db, What: "mints"}).Run},
		{"indexes", `^$`, `steps=(\d+) .*percent=100`, load},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			e := &process.Env{Stdout: &stdout, Stderr: &stderr, Console: console.Console{Log: slog.New(slog.NewTextHandler(&stderr, nil)), Every: time.Microsecond}, Events: process.NewEvents()}
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
