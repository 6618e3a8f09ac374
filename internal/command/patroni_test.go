package command_test

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// failoverTime is how long reads may fail after the primary's node is killed: Patroni's ttl,
// and 5 s to elect another primary.
const failoverTime = 25 * time.Second

// TestPatroni_PrimaryKilled kills the node of a Patroni cluster's primary. Reads fail until
// another node is the primary, the follower continues, and nothing is lost. It runs with
// MINTBURN_PATRONI, because it takes minutes.
func TestPatroni_PrimaryKilled(t *testing.T) {
	if os.Getenv("MINTBURN_PATRONI") == "" {
		t.Skip("MINTBURN_PATRONI is not set")
	}
	cluster := pgtest.NewCluster(t)
	c := &chaos{t: t, random: rand.New(rand.NewPCG(1, 3)), node: chaintest.NewNode(t, chaintest.NodeOptions{Finality: chaosFinality}), dsn: cluster.DSN}
	var err error
	c.admin, err = sql.Open("pgx", c.dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = c.admin.Close() })
	c.mine(60)
	c.begin(1)
	c.change()
	c.rest()
	var killed, back time.Time
	c.load.away(func() {
		killed = time.Now()
		cluster.KillPrimary()
		c.mine(1)
		c.load.awaitUnavailable()
		c.execute("SELECT 1")
		back = c.load.awaitAvailable()
	})
	gap := back.Sub(killed)
	t.Logf("reads failed until %s after the kill", gap.Round(10*time.Millisecond))
	if gap > failoverTime {
		t.Errorf("reads failed for %s, want at most %s", gap, failoverTime)
	}
	for range 5 {
		c.change()
		c.rest()
	}
	c.compare()
}
