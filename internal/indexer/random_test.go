package indexer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/feed"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/foldtest"
	"mintburn/internal/testing/storetest"
)

// episodeSteps is the most steps in an episode, which bounds its chain.
const episodeSteps = 50

// TestRun_Random plays random sequences of chain, node and operator actions: reorgs,
// faults, repairs, audits, ranges stored separately, and a second follower on an orphaned
// fork. Whenever the follower reaches the head, the database must equal the canonical
// chain; every snapshot that a reader sees must contain a single branch. MINTBURN_SEED
// repeats one episode, MINTBURN_STEPS is the total number of steps. Every third episode
// uses PostgreSQL.
func TestRun_Random(t *testing.T) {
	long(t)
	steps := expect.Variable(t, "MINTBURN_STEPS", 150)
	seed, one := expect.Variable(t, "MINTBURN_SEED", 1), os.Getenv("MINTBURN_SEED") != ""
	for ; steps > 0; seed++ {
		n := min(steps, episodeSteps)
		if !t.Run(fmt.Sprintf("MINTBURN_SEED=%d", seed), func(t *testing.T) { newEpisode(t, seed).play(n) }) || one {
			return
		}
		steps -= n
	}
}

// finality is the distance of an episode's finalized blocks from the heads.
const finality = 40

// episode is a chain on two nodes and a follower of both. The second node may be some
// changes behind the first.
type episode struct {
	*rig
	t      *testing.T
	random *rand.Rand
	seen   *ledger
	nodes  [2]*chaintest.Node
	// later are the changes that the second node has not seen yet.
	later []func(*chaintest.Node)
	apart bool
	// history are all changes; final is the highest block that a node has called
	// final.
	history []func(*chaintest.Node)
	final   int
	// lost follows a node stuck on an orphaned fork, with the same database.
	lost *rig
	log  []string
	// readers fold the change feed, at random moments of their own.
	readers []*foldtest.Reader
	folds   *rand.Rand
}

func newEpisode(t *testing.T, seed uint64) *episode {
	e := &episode{t: t, random: rand.New(rand.NewPCG(seed, 1)), seen: &ledger{}}
	for i := range e.nodes {
		e.nodes[i] = chaintest.NewNode(t, e.options(seed))
	}
	// Enough records for counter trees.
	contents := chaintest.Default()
	contents.Seed, contents.Blocks, contents.Records, contents.Collections = seed, 30, 30, 3
	e.change(func(n *chaintest.Node) { n.Generate(contents) })
	e.mine(1 + e.random.IntN(100))
	e.seen.sparse = seed%2 == 0
	database := storetest.SQLite
	if seed%3 == 0 {
		database = storetest.Postgres
	}
	e.restart(database(t))
	e.folds = rand.New(rand.NewPCG(seed, 3))
	some := []evm.Address{decoded(t, e.nodes[0], 0, 29)[20].Mints[0].Contract}
	for _, filter := range []feed.Filter{{}, {Addresses: some}} {
		e.readers = append(e.readers, foldtest.NewReader(t, e.store.DB, filter, e.folds))
	}
	return e
}

func (e *episode) options(seed uint64) chaintest.NodeOptions {
	return chaintest.NodeOptions{Finality: finality, NoTimes: seed%2 == 0}
}

// restart continues with a new follower, client and store.
func (e *episode) restart(dsn string) {
	if e.rig != nil {
		if err := e.store.Close(); err != nil {
			e.t.Fatal(err)
		}
	}
	o := jsonrpc.Options{Samples: 1000, Attempts: 2, MaxBody: 4 << 20, Step: 1 + e.random.Uint64N(60), BatchSize: 5 + e.random.IntN(50)}
	e.rig = audited(e.t, dsn, o, e.nodes[0], e.nodes[1])
	e.Workers = 1 + e.random.IntN(4)
	if e.sparse = e.seen.sparse; e.sparse {
		depths := []uint64{0, 3, 20, 100_000}
		e.HeaderDepth, e.ReceiptsDepth = depths[e.random.IntN(4)], depths[e.random.IntN(4)]
	}
}

// change applies f to the first node and, now or later, to the second.
func (e *episode) change(f func(*chaintest.Node)) {
	f(e.nodes[0])
	e.seen.add(e.t, e.nodes[0])
	e.final = max(e.final, len(e.nodes[0].Blocks())-1-finality)
	e.history = append(e.history, f)
	e.later = append(e.later, f)
	e.agree(!e.apart)
}

// agree applies the missing changes to the second node if now is set. Otherwise the nodes
// diverge until the next call.
func (e *episode) agree(now bool) {
	if e.apart = !now; !now {
		return
	}
	for _, f := range e.later {
		f(e.nodes[1])
	}
	e.later = nil
}

func (e *episode) mine(count int) {
	blocks := randomBlocks(e.random, count)
	e.change(func(n *chaintest.Node) {
		for _, txs := range blocks {
			n.Mine(txs...)
		}
	})
}

func (e *episode) reorg() {
	height := len(e.nodes[0].Blocks()) - 1
	depth := min(1+e.random.IntN(30), height-1, height-e.final)
	if depth < 1 {
		return
	}
	// At least one block, so that the reorg can be seen.
	blocks := randomBlocks(e.random, max(1, depth+e.random.IntN(7)-3))
	e.log = append(e.log, fmt.Sprintf("reorg of %d by %d", depth, len(blocks)))
	e.change(func(n *chaintest.Node) { n.Reorg(depth, blocks...) })
}

// lose lets a follower of a node stuck on an orphaned fork write to the database. The fork
// begins above the finalized block, and never grows.
func (e *episode) lose() {
	if e.lost == nil {
		height := len(e.nodes[0].Blocks()) - 1
		depth := min(1+e.random.IntN(20), height-1, height-e.final)
		if depth < 1 {
			return
		}
		dead := chaintest.NewNode(e.t, e.options(0))
		for _, f := range e.history {
			f(dead)
		}
		dead.Reorg(depth, randomBlocks(e.random, depth)...)
		e.seen.add(e.t, dead)
		e.lost = audited(e.t, e.dsn, jsonrpc.Options{Attempts: 1}, dead)
		e.log = append(e.log, fmt.Sprintf("a dead fork at %d", height-depth))
	}
	e.log = append(e.log, "the second follower steps")
	final, known, err := e.store.FinalBlock(e.t.Context(), math.MaxInt64)
	if err != nil {
		e.t.Fatal(err)
	}
	for range 1 + e.random.IntN(3) {
		_ = e.lost.Step(e.t.Context())
	}
	if after, _, err := e.store.Header(e.t.Context(), final.Number); err != nil || known && after.Hash != final.Hash {
		e.t.Fatalf("block %d was final as %s and is %s (%v)", final.Number, final.Hash, after.Hash, err)
	}
}

// repair proves some blocks and repairs differences while the follower runs.
func (e *episode) repair() {
	a, _ := auditor(e.t, e.rig, true)
	height := uint64(len(e.nodes[0].Blocks()) - 1)
	from := e.random.Uint64N(height + 1)
	to := min(from+e.random.Uint64N(20), height)
	e.log = append(e.log, fmt.Sprintf("repair %d to %d", from, to))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// Faults and reorgs cause errors.
		_, _ = a.Verifier.Verify(e.t.Context(), evm.Range{From: from, To: to})
	}()
	if e.random.IntN(2) == 0 {
		e.reorg()
	}
	for range e.random.IntN(3) {
		_ = e.Step(e.t.Context())
	}
	<-ended
}

// audit proves single blocks that were stored without a proof.
func (e *episode) audit() {
	level := true
	a := spots(e.rig, &level)
	for range 1 + e.random.IntN(5) {
		_ = a.Step(e.t.Context())
	}
}

// storeApart stores some of the last blocks, as an import does, while the follower is far
// below them. They may be orphaned before it reaches them.
func (e *episode) storeApart() {
	e.mine(10 + e.random.IntN(30))
	height := uint64(len(e.nodes[0].Blocks()) - 1)
	from := height - e.random.Uint64N(min(height, 30))
	to := min(from+e.random.Uint64N(8), height)
	e.log = append(e.log, fmt.Sprintf("store %d to %d", from, to))
	// The blocks stored before may be of another branch.
	if _, err := e.store.Apply(e.t.Context(), decoded(e.t, e.nodes[0], from, to)); err != nil && !errors.Is(err, nft.ErrConflict) {
		e.t.Fatal(err)
	}
	if e.random.IntN(2) == 0 {
		e.reorg()
	}
}

// fault breaks a node for a few calls.
func (e *episode) fault() {
	faults := []struct {
		name string
		chaintest.Fault
		when func(chaintest.Call) bool
	}{
		{"close", chaintest.Fault{Close: true}, nil},
		{"truncate", chaintest.Fault{Truncate: true}, nil},
		{"null block", chaintest.Null(), chaintest.Method("eth_getBlockByNumber")},
		{"null logs", chaintest.Null(), chaintest.Method("eth_getLogs")},
		{"no logs", chaintest.Empty(), chaintest.Method("eth_getLogs")},
		{"dropped log", chaintest.DropLog(0), chaintest.Method("eth_getLogs")},
		{"error with 200", chaintest.Fault{Status: http.StatusOK, Body: `{"error":{"code":-32000,"message":"no backend is currently healthy"}}`}, nil},
		{"rate limit", chaintest.Fault{Status: http.StatusTooManyRequests, Header: []string{"Retry-After", "3"}}, nil},
		{"rate limit in the batch", chaintest.Fault{Code: -32005, Message: "rate limit exceeded"}, chaintest.Method("eth_getLogs")},
		{"range limit", chaintest.Fault{Code: -32602, Message: "block range too large, limited to 7 blocks"}, chaintest.Wider(7)},
		{"flaky batches", chaintest.Fault{Code: -32603, Message: "internal error"}, chaintest.Flaky(0.1, e.random.Uint64())},
		{"too large", chaintest.Fault{Pad: 5 << 20}, chaintest.Method("eth_getLogs")},
	}
	f, node, times := faults[e.random.IntN(len(faults))], e.random.IntN(2), 1+e.random.IntN(6)
	e.log = append(e.log, fmt.Sprintf("node %d: %s, %d times", node, f.name, times))
	e.nodes[node].Break(times, f.Fault, f.when)
}

// play takes steps random actions while a reader watches.
func (e *episode) play(steps uint64) {
	defer func() {
		if e.t.Failed() {
			for _, line := range e.log {
				e.t.Log(line)
			}
		}
	}()
	stop := e.seen.watch(e.t, e.dsn)
	defer stop()
	for range steps {
		switch action := e.random.IntN(17); action {
		case 0, 1, 2:
			count := 1 + e.random.IntN(8)
			e.log = append(e.log, fmt.Sprintf("mine %d", count))
			e.mine(count)
		case 3, 4, 5:
			e.reorg()
		case 6:
			e.log = append(e.log, "restart")
			e.restart(e.dsn)
		case 7:
			node, lag := e.random.IntN(2), e.random.Uint64N(uint64(min(40, len(e.nodes[1].Blocks())-1)))
			e.log = append(e.log, fmt.Sprintf("node %d lags by %d", node, lag))
			e.nodes[node].Lag(lag)
		case 8:
			e.log = append(e.log, "the nodes part")
			e.agree(false)
		case 9, 10:
			e.fault()
		case 11:
			e.rest()
		case 12, 13:
			e.repair()
		case 14:
			e.lose()
		case 15:
			e.audit()
		case 16:
			e.storeApart()
		}
		// Faults cause errors.
		for range e.random.IntN(3) {
			_ = e.Step(e.t.Context())
		}
		for _, r := range e.readers {
			if r.Read(e.t, e.store.DB); e.folds.IntN(2) == 0 {
				r.Compare(e.t, e.store.DB)
			}
			if r.Expired > 0 {
				e.t.Fatal("the feed lost a cursor")
			}
		}
	}
	e.rest()
}

// rest clears all faults, lets the follower reach the head, and compares the database with
// the chain.
func (e *episode) rest() {
	e.log = append(e.log, "rest")
	e.agree(true)
	for _, n := range e.nodes {
		n.ClearFaults()
		n.Lag(0)
	}
	e.endure(e.t)
	e.checkHead(e.t, e.nodes[0])
	if e.random.IntN(4) == 0 {
		a, found := auditor(e.t, e.rig, false)
		to := uint64(len(e.nodes[0].Blocks()) - 1)
		if n, err := a.Verifier.Verify(e.t.Context(), evm.Range{From: to - min(to, 50), To: to}); err != nil || n.Differences > 0 {
			e.t.Fatalf("verifying: %v: %q", err, *found)
		}
	}
	if e.random.IntN(4) == 0 {
		fresh := follow(e.t, storetest.SQLite(e.t), jsonrpc.Options{}, e.nodes[0])
		fresh.settle(e.t)
		to := uint64(len(e.nodes[0].Blocks()) - 1)
		want, got := fresh.stored(e.t, 0, to), e.stored(e.t, 0, to)
		if e.sparse {
			want.Headers, got.Headers = nil, nil
		}
		if !sameContent(want, got) {
			e.t.Fatal("the database differs from a fresh one")
		}
	}
	if e.t.Failed() {
		e.t.FailNow()
	}
}
