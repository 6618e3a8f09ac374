package chaintest

import (
	"net/http/httptest"
	"sync"
	"testing"

	"mintburn/internal/evm"
)

// Node is a JSON-RPC node over HTTP that holds a scripted chain. It answers
// eth_chainId, eth_blockNumber, eth_getBlockByNumber, eth_getBlockByHash,
// eth_getLogs, eth_getBlockReceipts and eth_getTransactionReceipt, alone and in
// batches, as geth does. Headers are real: their hashes, receipts roots and
// bloom filters are right, so that blocks can be proven. It starts with a
// genesis block without transactions, and is closed at the end of the test.
// Recorded blocks are served as they were recorded, see [Node.Play].
type Node struct {
	// URL is where the node listens, on the loopback interface.
	URL string

	server *httptest.Server
	done   chan struct{} // closed when the node is

	// mu guards everything below.
	mu       sync.Mutex
	o        NodeOptions
	blocks   []*nodeBlock // the canonical chain from block base on
	base     uint64       // 0, but for recorded blocks of a longer chain
	orphaned []*nodeBlock // the chain before the last reorg
	byHash   map[evm.Hash]*nodeBlock
	branch   uint64 // makes blocks of different branches differ
	lag      uint64
	faults   []*fault
	calls    map[string]int
	requests int
	ranges   []Asked
}

// NodeOptions are the settings of a [Node].
type NodeOptions struct {
	// ChainID is the chain's id, 31337 by default.
	ChainID uint64
	// Finality is how far the finalized block is below the head, 64 by default;
	// the safe one is half as far.
	Finality uint64
	// NoTimes leaves blockTimestamp out of logs, as older nodes do.
	NoTimes bool
	// Falls, if not 0, is a block that is a minute earlier than the one before it.
	Falls uint64
	// MoreTopics makes a filter of n topics match logs with fewer, too, if the
	// last ones are wildcards: what some nodes do, unlike geth.
	MoreTopics bool
	// Shape is how blocks differ from Ethereum's.
	Shape Shape
	// Wait is called for each HTTP request before it is answered, to stand for
	// latency; nil means none.
	Wait func()
	// URI is the string that every eth_call returns; without one, the method is
	// unknown.
	URI string
}

// Asked is a range of eth_getLogs with topics.
type Asked struct{ From, To uint64 }

// NewNode starts a node.
func NewNode(t testing.TB, o NodeOptions) *Node {
	t.Helper()
	if o.ChainID == 0 {
		o.ChainID = 31337
	}
	if o.Finality == 0 {
		o.Finality = 64
	}
	n := &Node{o: o, byHash: map[evm.Hash]*nodeBlock{}, calls: map[string]int{}, done: make(chan struct{})}
	n.append(nil)
	n.server = httptest.NewServer(n)
	n.URL = n.server.URL
	t.Cleanup(func() {
		close(n.done)
		n.server.Close()
	})
	return n
}

// Copy starts a node with the first blocks of n, which is cheaper than to mine them
// again. The options must have the same ChainID, NoTimes, Falls and Shape.
func (n *Node) Copy(t testing.TB, o NodeOptions, blocks int) *Node {
	t.Helper()
	c := NewNode(t, o)
	n.mu.Lock()
	defer n.mu.Unlock()
	c.drop(1)
	for _, b := range n.blocks[:blocks] {
		c.add(b)
	}
	return c
}

// Mine adds one block with a transaction for each element of txs: the logs that
// it emits, of which only Address, Topics and Data are read. It returns the
// block with all its logs.
func (n *Node) Mine(txs ...[]evm.Log) (b evm.Block) {
	n.locked(func() { b = n.append(txs).Block })
	return b
}

// locked calls f while it holds n.mu.
func (n *Node) locked(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// MineEmpty adds count blocks without transactions.
func (n *Node) MineEmpty(count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for range count {
		n.append(nil)
	}
}

// Generate adds the blocks that [Blocks] generates. Numbers, hashes and times
// are the node's own.
func (n *Node) Generate(o Options) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for b := range Blocks(o) {
		n.append(transactions(b))
	}
}

// Add adds a block that [Blocks] generates, as [Node.Generate] does.
func (n *Node) Add(b *Block) { n.locked(func() { n.append(transactions(b)) }) }

// transactions returns a copy of the logs of a block by transaction.
func transactions(b *Block) (txs [][]evm.Log) {
	for _, log := range b.Logs {
		for uint32(len(txs)) <= log.TxIndex.N {
			txs = append(txs, nil)
		}
		log.Topics, log.Data = append([]evm.Hash(nil), log.Topics...), append([]byte(nil), log.Data...)
		txs[log.TxIndex.N] = append(txs[log.TxIndex.N], log)
	}
	return txs
}

// Reorg drops the last depth blocks and adds a block for each element of
// blocks, each a list of transactions as in [Node.Mine]. The dropped blocks are
// no longer known by hash. Depth must be at most the head's number.
func (n *Node) Reorg(depth int, blocks ...[][]evm.Log) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(depth)
	n.branch++
	for _, txs := range blocks {
		n.append(txs)
	}
}

// SetChainID changes the chain's id, as when another node is put behind the same
// URL. The blocks stay.
func (n *Node) SetChainID(id uint64) { n.locked(func() { n.o.ChainID = id }) }

// Lag hides the newest blocks, at most all but the genesis; 0 shows all.
func (n *Node) Lag(blocks uint64) { n.locked(func() { n.lag = blocks }) }

// Blocks returns the canonical chain with all its logs, from the genesis.
func (n *Node) Blocks() []evm.Block {
	n.mu.Lock()
	defer n.mu.Unlock()
	var blocks []evm.Block
	for _, b := range n.blocks {
		blocks = append(blocks, b.Block)
	}
	return blocks
}

// Calls returns how often a method was called.
func (n *Node) Calls(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

// AllCalls returns how many calls and HTTP requests there were.
func (n *Node) AllCalls() (calls, requests int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, count := range n.calls {
		calls += count
	}
	return calls, n.requests
}

// Ranges returns the ranges of eth_getLogs with topics, in order; one that is repeated
// in a row is listed once.
func (n *Node) Ranges() []Asked {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Asked(nil), n.ranges...)
}
