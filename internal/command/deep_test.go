package command_test

import (
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

// TestServe_RefusesADeepReorg has a node replace final blocks: the server goes on
// with what it has, counts, and says how to go on. With --allow-deep-reorg the
// chain is followed, but not to another chain.
func TestServe_RefusesADeepReorg(t *testing.T) {
	withBoth(t, func(t *testing.T, db string) {
		node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: 70})
		node.MineEmpty(200)
		follow := func(flags ...string) *server {
			return start(t, append([]string{"serve", "--rpc", node.URL, "--poll", "10ms", "--no-metadata", "--db", db}, flags...)...)
		}
		head := func() string {
			blocks := node.Blocks()
			return blocks[len(blocks)-1].Header.Hash.String()
		}
		before := head()
		s := follow()
		await(t, s, before)
		node.Reorg(100, make([][][]evm.Log, 110)...)
		awaitMetric(t, s, `mintburn_deep_reorgs_refused_total [1-9]`)
		await(t, s, before)
		if said := s.output.String(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "--allow-deep-reorg") {
			t.Errorf("the log does not say how to go on: %s", said)
		}
		node.Break(0, chaintest.Replace("0x7a69", "0x5"), chaintest.Method("eth_chainId"))
		if _, stderr, code := run(t, nil, "sync", "--once", "--rpc", node.URL, "--db", db, "--allow-deep-reorg"); code != 1 || !strings.Contains(stderr, "serves chain 5, want chain 31337") {
			t.Errorf("another chain: exit code %d: %s", code, stderr)
		}
		node.ClearFaults()
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--allow-deep-reorg")
		await(t, s, head())
	})
}

// awaitMetric waits until a line of the metrics matches.
func awaitMetric(t *testing.T, s *server, pattern string) {
	t.Helper()
	line := regexp.MustCompile("(?m)^" + pattern)
	until(t, func() bool { return line.MatchString(s.Send(t, "GET", "/metrics", "").Body) })
}
