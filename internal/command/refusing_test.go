package command_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/command"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// saying is a standard error that calls a function once it contains a text.
type saying struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	then func()
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.all.Write(p)
	if strings.Contains(s.all.String(), s.text) {
		s.then()
	}
	return n, err
}

// TestNode_Refuses checks that the first failure of a node that refuses connections is logged before
// the attempts end, and that nothing is said about the indexes of a database that is removed.
func TestNode_Refuses(t *testing.T) {
	t.Parallel()
	known := importChainA(t)
	for _, args := range [][]string{
		{"sync", "--once"}, {"sync"}, {"serve", "--listen", "127.0.0.1:0"}, {"verify", "--db", known},
	} {
		t.Run(strings.Join(args[:1], " "), func(t *testing.T) {
			t.Parallel()
			fresh := filepath.Join(t.TempDir(), "fresh.db")
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			stderr := &saying{text: "the node does not answer: waiting for it", then: stop}
			if args[0] != "verify" {
				args = append(args, "--db", fresh)
			}
			command.Run(ctx, repository, append(args, "--rpc", "http://127.0.0.1:1"), nil, new(bytes.Buffer), stderr)
			said := stderr.all.String()
			if !errors.Is(ctx.Err(), context.Canceled) || !strings.Contains(said, "connection refused") || strings.Contains(said, "trying again") || strings.Contains(said, "indexes of the new database") {
				t.Errorf("%v said %s", args, said)
			}
			if _, err := os.Stat(fresh); args[0] == "sync" && args[1] == "--once" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the empty database remains: %v", err)
			}
		})
	}
}

// TestStatus_Unreachable checks that the head of a node that does not answer makes no lag of 0.
func TestStatus_Unreachable(t *testing.T) {
	t.Parallel()
	db := importChainA(t)
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	for _, c := range []struct {
		healthy bool
		head    uint64
		want    string
	}{
		{true, 360, `"lag_blocks": 0`}, {false, 360, `"lag_blocks": null`}, {false, 3, `"lag_blocks": null`}, {false, 400, `"lag_blocks": 40`},
	} {
		expect.NoError(t, s.Settings().SetEndpoints(t.Context(), []read.Endpoint{{URL: "http://a", Healthy: c.healthy, Head: c.head, SeenAt: uint64(time.Now().Unix())}}))
		if stdout, _, _ := run(t, nil, "status", "--json", "--db", db); !strings.Contains(stdout, c.want) {
			t.Errorf("%+v: %s", c, stdout)
		}
	}
}
