package command_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// causes holds servers, one for each alert that TestAlerts_Fire causes by more than a broken part.
type causes struct {
	t       *testing.T
	servers []*server
	// gap is a node with a block that cannot be read, deep one whose final blocks change, and
	// queue one that shows more and more blocks.
	gap, deep, queue *chaintest.Node
	// queued is the database of the queue.
	queued string
	// damaged has a record that cannot be read.
	damaged *server
	// follower is the only process that follows the database of one of the servers.
	follower *exec.Cmd
}

// hiddenBlocks is the number of blocks that the node of the queue does not show at first.
const hiddenBlocks = 400

func newCauses(t *testing.T) *causes {
	t.Helper()
	c := &causes{t: t}
	follow := func(node *chaintest.Node, flags ...string) (db string) {
		db = filepath.Join(t.TempDir(), "x.db")
		c.servers = append(c.servers, start(t, append([]string{"serve", "--db", db, "--rpc", node.URL, "--poll", "50ms", "--no-metadata", "--from-block", "1"}, flags...)...))
		return db
	}
	c.gap, _ = generated(t, 300, 3)
	c.gap.Lag(150)
	follow(c.gap, "--give-up-after", "100ms")
	c.deep = chaintest.NewNode(t, chaintest.NodeOptions{Finality: 70})
	c.deep.MineEmpty(200)
	follow(c.deep)
	c.queue = chaintest.NewNode(t, chaintest.NodeOptions{})
	c.queue.Generate(contents(hiddenBlocks+100, 30))
	c.queue.Lag(hiddenBlocks)
	c.queued = follow(c.queue)

	db := importDemo(t)
	edit(t, db, "UPDATE mints SET token_id = x'' WHERE id = (SELECT id FROM mints ORDER BY id LIMIT 1 OFFSET 5)")
	c.damaged = serve(t, db)

	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.MineEmpty(100)
	followed := filepath.Join(t.TempDir(), "x.db")
	s, process, _ := startProcess(t, func(*exec.Cmd) {}, "--db", followed, "--rpc", node.URL, "--poll", "50ms")
	awaitMetric(t, s, "mintburn_endpoint_up")
	c.follower = process
	c.servers = append(c.servers, c.damaged, serve(t, followed))
	return c
}

// fire causes the alerts, and returns those that fired.
func (c *causes) fire() []string {
	c.t.Helper()
	p := newPrometheus(c.t, c.servers...)
	p.fires("MintburnLag", func() {})
	p.await("to scrape all", func() bool {
		return len(p.ask("mintburn_database_up == 1")) == len(c.servers) && len(p.ask("mintburn_endpoint_up == 1")) == len(c.servers)-1
	})
	p.fires("MintburnInternalErrors", func() {
		if a := c.damaged.Ask(c.t, "{ mints(first: 10) { data { tokenId } } }", ""); !strings.Contains(a.Text, "INTERNAL") {
			c.t.Errorf("the damaged server answers %s", a.Text)
		}
	})
	p.fires("MintburnGap", c.breakGap)
	p.fires("MintburnDeepReorg", func() { c.deep.Reorg(100, make([][][]evm.Log, 110)...) })
	p.fires("MintburnMetadataQueueGrowing", func() { c.growQueue(p) })
	p.fires("MintburnNobodyFollows", func() { expect.NoError(c.t, c.follower.Process.Kill()) })
	return p.firing
}

// breakGap makes the node return a final block without its last receipt, and no logs of it.
func (c *causes) breakGap() {
	const number = 200
	of := func(method string) func(chaintest.Call) bool {
		return func(call chaintest.Call) bool { return call.Method == method && call.To == number }
	}
	c.gap.Break(0, chaintest.DropLog(-1), of("eth_getBlockReceipts"))
	c.gap.Break(0, chaintest.Null(), of("eth_getTransactionReceipt"))
	c.gap.Break(0, chaintest.HideLogs(number), func(call chaintest.Call) bool {
		return call.Method == "eth_getLogs" && call.From <= number && number <= call.To
	})
	c.gap.Lag(0)
}

// growQueue shows more blocks of the node, and queues their tokens without fetching a document: it
// fetches those of a contract that does not exist. It ends once the alert fires.
func (c *causes) growQueue(p *prometheus) {
	for left := uint64(hiddenBlocks); left > 0 && !slices.Contains(p.alerts(), "MintburnMetadataQueueGrowing"); left-- {
		c.queue.Lag(left - 1)
		mustRun(c.t, "metadata", "--once", "--db", c.queued, "--rpc", c.queue.URL, "--contract", "0x000000000000000000000000000000000000dead")
	}
}
