package command_test

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestChaos_PostgreSQL kills and stops followers of one PostgreSQL, partitions them from it,
// ends its connections, restarts it, and finally replaces it with its standby, while the
// chain has reorgs. Reads from a server may fail only while PostgreSQL is down. No finalized
// block is ever orphaned, and when idle the data equals a fresh sync, as do the copies of
// subscribers on each transport. MINTBURN_SEED repeats
// the order of events, but not their timing. MINTBURN_STEPS is the number of events.
func TestChaos_PostgreSQL(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for terms to end")
	newChaos(t, expect.Variable(t, "MINTBURN_SEED", 1)).play(expect.Variable(t, "MINTBURN_STEPS", 12))
}

// chaos is a chain, several followers that share a database, and the load on a server.
type chaos struct {
	t      *testing.T
	random *rand.Rand
	node   *chaintest.Node
	// blocks is the seed of the last mined blocks, so that all blocks differ.
	blocks uint64
	// primary is the PostgreSQL that accepts writes, standby follows it until it is promoted.
	primary, standby *pgtest.Server
	dsn              string
	admin            *sql.DB
	followers        []*member
	load             *load
	// copies are those of subscribers, unsubscribe ends them.
	copies      map[string]*feedCopy
	unsubscribe func()
	// log lists the events so far.
	log []string
}

// member is a follower.
type member struct {
	*server
	process *exec.Cmd
	ended   <-chan error
	stopped bool
	// network contains its proxy to each PostgreSQL.
	network []*pgtest.Proxy
}

// chaosFinality is the distance of the finalized block from the head, deepest the depth
// of the deepest reorg.
const chaosFinality, deepest = 20, 10

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{t: t, random: rand.New(rand.NewPCG(seed, 3)), primary: pgtest.NewServer(t)}
	c.node = chaintest.NewNode(t, chaintest.NodeOptions{Finality: chaosFinality, URI: `data:application/json,{"name":"chaos"}`})
	c.mine(60)
	c.standby = c.primary.Standby()
	c.dsn = c.primary.DSN
	var err error
	c.admin, err = sql.Open("pgx", c.dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = c.admin.Close() })
	c.execute("ALTER DATABASE test SET default_transaction_isolation = 'serializable'")
	t.Cleanup(func() { t.Log(strings.Join(c.log, ", ")) })
	c.begin(3)
	c.copies, c.unsubscribe = newFeedCopies(t, c.load.server, c.dsn)
	return c
}

// begin starts the followers and the load.
func (c *chaos) begin(followers int) {
	for range followers {
		c.followers = append(c.followers, c.follow(pgtest.NewProxies(c.t, c.dsn)))
	}
	reads := serve(c.t, c.dsn)
	until(c.t, func() bool { return reads.headIs(c.t, c.head()) })
	c.load = newLoad(c.t, reads)
}

func (c *chaos) head() int { return len(c.node.Blocks()) - 1 }

func (c *chaos) mine(count int) {
	contents := contents(count, 10)
	c.blocks++
	contents.Seed, contents.Collections = c.blocks, 3
	c.node.Generate(contents)
}

// execute runs a statement as soon as PostgreSQL answers.
func (c *chaos) execute(statement string) {
	until(c.t, func() bool {
		_, err := c.admin.ExecContext(c.t.Context(), statement)
		return err == nil
	})
}

func (c *chaos) follow(network []*pgtest.Proxy) *member {
	f := &member{network: network}
	f.server, f.process, f.ended = startProcess(c.t, func(*exec.Cmd) {}, "--rpc", c.node.URL, "--db", network[0].DSN, "--poll", "10ms")
	if f.Base == "" {
		c.t.Fatalf("a follower ended at startup: %s", f.output)
	}
	return f
}

func (c *chaos) signal(f *member, s syscall.Signal) {
	select {
	case err := <-f.ended:
		c.t.Fatalf("a follower ended by itself: %v: %s", err, f.output)
	default:
		expect.NoError(c.t, f.process.Process.Signal(s))
	}
}

// play runs this many events, promotes the standby, and then compares the data.
func (c *chaos) play(steps uint64) {
	for step := range steps {
		c.change()
		c.happen()
		c.load.await(1 + c.random.IntN(40))
		if step == steps/2 {
			c.rest()
		}
	}
	c.promote()
	c.change()
	c.rest()
	c.compare()
}

// change mines blocks, sometimes after a reorg.
func (c *chaos) change() {
	if c.random.IntN(2) > 0 {
		depth := 1 + c.random.IntN(deepest)
		c.log = append(c.log, fmt.Sprint("reorg of ", depth))
		c.node.Reorg(depth)
		c.mine(depth)
	}
	c.mine(1 + c.random.IntN(5))
}

// happen does something to a follower or to PostgreSQL.
func (c *chaos) happen() {
	i := c.random.IntN(len(c.followers))
	f := c.followers[i]
	what := ""
	switch c.random.IntN(6) {
	case 0:
		what = "kill"
		c.signal(f, syscall.SIGKILL)
		<-f.ended
		c.followers[i] = c.follow(f.network)
	case 1:
		what = "stop or continue"
		c.toggle(f)
	case 2:
		what = "cut off or reconnect"
		f.partition()
	case 3, 4:
		what = "terminate"
		c.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
	default:
		killed, long := c.random.IntN(2) > 0, c.random.IntN(3) == 0
		what = fmt.Sprintf("restart (killed: %t, long: %t)", killed, long)
		c.load.away(func() {
			c.primary.Stop(killed)
			if long {
				c.load.awaitUnavailable()
			}
			c.primary.Start()
		})
	}
	c.log = append(c.log, what)
}

// toggle stops a follower, or continues a stopped one.
func (c *chaos) toggle(f *member) {
	if f.stopped = !f.stopped; f.stopped {
		c.signal(f, syscall.SIGSTOP)
	} else {
		c.signal(f, syscall.SIGCONT)
	}
}

// partition silently cuts a follower off from PostgreSQL, or restores its network.
func (f *member) partition() {
	for _, way := range f.network {
		if way.Frozen() {
			way.Thaw()
		} else {
			way.Freeze()
		}
	}
}

// promote replaces the primary with its standby.
func (c *chaos) promote() {
	c.log = append(c.log, "promote")
	c.load.away(func() {
		c.primary.Stop(true)
		c.standby.Promote()
		c.execute("SELECT 1")
	})
}

// rest continues and reconnects all followers, and waits until they have the chain's head.
func (c *chaos) rest() {
	c.t.Helper()
	c.log = append(c.log, "rest")
	for _, f := range c.followers {
		if f.stopped {
			c.toggle(f)
		}
		if f.network[0].Frozen() {
			f.partition()
		}
	}
	for _, f := range c.followers {
		until(c.t, func() bool { return f.headIs(c.t, c.head()) })
		// Signal 0 fails unless the process runs.
		c.signal(f, 0)
	}
	c.load.await(1)
	want, err := exportedIDs(c.t, c.dsn)
	expect.NoError(c.t, err)
	for name, f := range c.copies {
		c.t.Logf("%s: waiting until the copy has %d records", name, len(want))
		until(c.t, func() bool { return f.equals(want) })
	}
}

// compare compares the stored data with a fresh sync and with the finalized blocks seen.
func (c *chaos) compare() {
	t := c.t
	c.unsubscribe()
	c.load.stop()
	final := c.node.Blocks()[:c.head()-chaosFinality+1]
	for number, hash := range c.load.final {
		if final[number].Header.Hash.String() != hash {
			t.Errorf("finalized block %d no longer has the hash %s", number, hash)
		}
	}
	for _, b := range final {
		var orphaned int
		expect.NoError(t, c.admin.QueryRow("SELECT count(*) FROM orphaned_blocks WHERE hash = $1", b.Header.Hash[:]).Scan(&orphaned))
		expect.Equal(t, fmt.Sprint("orphaned rows of block ", b.Header.Number), 0, orphaned)
	}
	c.compareFresh()
}

// compareFresh compares the database with a fresh sync.
func (c *chaos) compareFresh() {
	t := c.t
	t.Helper()
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	mustRun(t, "sync", "--once", "--rpc", c.node.URL, "--db", fresh)
	mustRun(t, "check", "--db", c.dsn)
	want, got := blocksOf(t, fresh), blocksOf(t, c.dsn)
	if !maps.Equal(want, got) {
		t.Errorf("the records of %d blocks differ from a fresh sync with %d", len(got), len(want))
	}
	const state = `{ chain { head { number hash } finalized { number hash } indexedRanges { fromBlock toBlock } gaps { fromBlock } }
		mints { totalItems } burns { totalItems } low: mints(toBlock: 30) { totalItems } }`
	expect.Equal(t, "totals and coverage", fmt.Sprint(serve(t, fresh).Get(t, state, "")), fmt.Sprint(serve(t, c.dsn).Get(t, state, "")))
}
