package command_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintburn/internal/testing/expect"
)

// TestStale checks that a server says of nodes and of following only what is true at present.
func TestStale(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	node, _ := generated(t, 10, 2)
	followed, imported := filepath.Join(t.TempDir(), "followed.db"), importChainA(t)
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", followed)
	now := time.Now().Unix()
	for name, c := range map[string]struct {
		db string
		// seen is the time of the report, ends the end of the lease in ms.
		seen, ends int64
		healthy    any
		following  bool
		metrics    []string
		missing    string
	}{
		"just now":         {followed, now, 0, true, false, []string{"mintburn_following 0", "mintburn_endpoint_up{"}, ""},
		"a minute ago":     {followed, now - 60, 0, nil, false, []string{"mintburn_following 0"}, "mintburn_endpoint_"},
		"years ago":        {followed, 1_600_000_000, 1_600_000_000_000, nil, false, []string{"mintburn_following 0"}, "mintburn_endpoint_"},
		"of another clock": {followed, now + 3600, (now + 3600) * 1000, nil, false, []string{"mintburn_following 0"}, "mintburn_endpoint_"},
		"imported":         {imported, 0, 0, nil, false, nil, "mintburn_following"},
	} {
		edit(t, c.db, fmt.Sprintf("UPDATE settings SET value = json_set(value, '$[0].seen_at', %d) WHERE id = 'endpoints'", c.seen), fmt.Sprintf("UPDATE leases SET ends_at = %d", c.ends))
		s := serve(t, c.db)
		chain := s.Get(t, "{ chain { following endpoints { healthy } } }", "")["chain"].(map[string]any)
		expect.Equal(t, name+": following", any(c.following), chain["following"])
		if nodes := chain["endpoints"].([]any); c.db == followed {
			expect.Equal(t, name+": nodes", []any{map[string]any{"healthy": c.healthy}}, nodes)
		}
		metrics := s.Send(t, "GET", "/metrics", "").Body
		for _, want := range c.metrics {
			if !strings.Contains(metrics, "\n"+want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if c.missing != "" && strings.Contains(metrics, "\n"+c.missing) {
			t.Errorf("%s: the metrics have %s", name, c.missing)
		}
	}
	edit(t, followed, fmt.Sprintf("UPDATE leases SET ends_at = %d", 0))
	start(t, "serve", "--db", followed, "--rpc", node.URL)
	s := serve(t, followed)
	until(t, func() bool {
		chain := s.Get(t, "{ chain { following endpoints { healthy } } }", "")["chain"].(map[string]any)
		return chain["following"] == true && chain["endpoints"].([]any)[0].(map[string]any)["healthy"] == true
	})
	if metrics := s.Send(t, "GET", "/metrics", "").Body; !strings.Contains(metrics, "\nmintburn_following 1\n") {
		t.Error("the metrics do not say that somebody follows")
	}
}
