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

	"mintburn/internal/chaintest"
	"mintburn/internal/expect"
	"mintburn/internal/pgtest"
)

// TestChaos_PostgreSQL kills and stops followers of one PostgreSQL, cuts them off from it,
// ends its connections, restarts it, and at last replaces it by its standby, while the
// chain has reorgs. A
// server's reads fail only while PostgreSQL is away, no final block is ever orphaned, and
// at rest the data is that of a fresh sync. MINTBURN_SEED repeats the order of events,
// though not the moments; MINTBURN_STEPS is how many there are.
func TestChaos_PostgreSQL(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for terms to end")
	newChaos(t, expect.Variable(t, "MINTBURN_SEED", 1)).play(expect.Variable(t, "MINTBURN_STEPS", 12))
}

// chaos is a chain, the database of several followers, and a server's load.
type chaos struct {
	t      *testing.T
	random *rand.Rand
	node   *chaintest.Node
	// blocks makes each part of the chain another one.
	blocks uint64
	// primary is the PostgreSQL that writes, standby follows it until it is promoted.
	primary, standby *pgtest.Server
	dsn              string
	admin            *sql.DB
	followers        []*member
	load             *load
	// log is what happened.
	log []string
}

// member is a follower.
type member struct {
	*server
	process *exec.Cmd
	ended   <-chan error
	stopped bool
	// network is its way to each PostgreSQL.
	network []*pgtest.Proxy
}

// chaosFinality is how far the final blocks are below the head, deepest the deepest
// reorg.
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
	return c
}

// begin starts so many followers, and the load.
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
		c.t.Fatalf("a follower ended at its start: %s", f.output)
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

// play lets so many things happen, and then comes to rest.
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

// change mines blocks, or replaces some by a reorg.
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

// toggle stops a follower, or lets it continue.
func (c *chaos) toggle(f *member) {
	if f.stopped = !f.stopped; f.stopped {
		c.signal(f, syscall.SIGSTOP)
	} else {
		c.signal(f, syscall.SIGCONT)
	}
}

// partition cuts a follower off from PostgreSQL without a word, or ends that.
func (f *member) partition() {
	for _, way := range f.network {
		if way.Frozen() {
			way.Thaw()
		} else {
			way.Freeze()
		}
	}
}

// promote replaces the primary by its standby.
func (c *chaos) promote() {
	c.log = append(c.log, "promote")
	c.load.away(func() {
		c.primary.Stop(true)
		c.standby.Promote()
		c.execute("SELECT 1")
	})
}

// rest lets all followers continue and reconnect, and waits until they have the chain's head.
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
		// It runs.
		c.signal(f, 0)
	}
	c.load.await(1)
}

// compare compares what is stored with a fresh sync, and with what was final.
func (c *chaos) compare() {
	t := c.t
	c.load.stop()
	final := c.node.Blocks()[:c.head()-chaosFinality+1]
	for number, hash := range c.load.final {
		if final[number].Header.Hash.String() != hash {
			t.Errorf("block %d was final with the hash %s", number, hash)
		}
	}
	for _, b := range final {
		var orphaned int
		expect.NoError(t, c.admin.QueryRow("SELECT count(*) FROM orphaned_blocks WHERE hash = $1", b.Header.Hash[:]).Scan(&orphaned))
		expect.Equal(t, fmt.Sprint("withdrawals of block ", b.Header.Number), 0, orphaned)
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
		t.Errorf("the records of %d blocks differ from those of a fresh sync, of %d", len(got), len(want))
	}
	const state = `{ chain { head { number hash } finalized { number hash } indexedRanges { fromBlock toBlock } gaps { fromBlock } }
		mints { totalItems } burns { totalItems } low: mints(toBlock: 30) { totalItems } }`
	expect.Equal(t, "totals and coverage", fmt.Sprint(serve(t, fresh).Get(t, state, "")), fmt.Sprint(serve(t, c.dsn).Get(t, state, "")))
}
