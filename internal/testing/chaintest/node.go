package chaintest

import (
	"net/http/httptest"
	"sync"
	"testing"

	"mintburn/internal/evm"
)

// Node is a JSON-RPC node over HTTP with a scripted chain. Like geth, it answers
// eth_chainId, eth_blockNumber, eth_getBlockByNumber, eth_getBlockByHash,
// eth_getLogs, eth_getBlockReceipts and eth_getTransactionReceipt, alone and in
// batches. The hashes, receipts roots and bloom filters of its headers are valid, so
// blocks can be proven. The chain starts with a genesis block without transactions. The
// node is closed at the end of the test. Recorded blocks are served unchanged, see
// [Node.Play].
type Node struct {
	// URL is the node's address on the loopback interface.
	URL string

	server *httptest.Server
	done   chan struct{} // closed together with the node

	// mu guards the fields below.
	mu       sync.Mutex
	o        NodeOptions
	blocks   []*nodeBlock // the canonical chain from block base on
	base     uint64       // 0 unless recorded blocks begin later in the chain
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
	// ChainID is the chain id, 31337 by default.
	ChainID uint64
	// Finality is the depth of the finalized block below the head, 64 by default. The
	// safe block is at half this depth.
	Finality uint64
	// NoTimes omits blockTimestamp from logs, as older nodes do.
	NoTimes bool
	// Falls, if not 0, is the number of a block whose time is a minute before that of its
	// parent.
	Falls uint64
	// Null are heights without a block, as Filecoin's null rounds.
	Null []uint64
	// MoreTopics makes a filter of n topics also match logs with fewer topics if the
	// last ones are wildcards. Some nodes do so, but geth does not.
	MoreTopics bool
	// Shape describes how blocks differ from Ethereum's.
	Shape Shape
	// Wait, if not nil, is called before each HTTP request is answered, to simulate
	// latency.
	Wait func()
	// URI is the string that every eth_call with arguments returns, Collection those of
	// name(), symbol() and contractURI(), in this order; a call without a string reverts. If all
	// are empty, the method does not exist.
	URI        string
	Collection [3]string
}

// Asked is the range of an eth_getLogs call with topics.
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

// Copy starts a node with the first blocks of n. This is cheaper than mining them
// again. The options must have the same ChainID, NoTimes, Falls and Shape as n's.
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

// Mine adds a block with a transaction for each element of txs. An element holds the
// logs of its transaction; only their Address, Topics and Data are used. Mine returns the
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

// Generate adds the blocks that [Blocks] generates, but with the node's own numbers,
// hashes and times.
func (n *Node) Generate(o Options) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for b := range Blocks(o) {
		n.append(transactions(b))
	}
}

// Add adds one block from [Blocks], as [Node.Generate] does.
func (n *Node) Add(b *Block) { n.locked(func() { n.append(transactions(b)) }) }

// transactions returns a copy of the logs of a block, grouped by transaction.
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

// Reorg orphans the last depth blocks and adds a block for each element of
// blocks, each a list of transactions as in [Node.Mine]. The orphaned blocks are
// no longer served by hash. depth must be at most the head's number.
func (n *Node) Reorg(depth int, blocks ...[][]evm.Log) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop(depth)
	n.branch++
	for _, txs := range blocks {
		n.append(txs)
	}
}

// SetChainID changes the chain id, as if another node were behind the same URL. The
// blocks stay the same.
func (n *Node) SetChainID(id uint64) { n.locked(func() { n.o.ChainID = id }) }

// Lag hides this many of the newest blocks, at most all but the genesis block. 0 shows all.
func (n *Node) Lag(blocks uint64) { n.locked(func() { n.lag = blocks }) }

// Blocks returns the canonical chain with all its logs, including hidden blocks. It leaves out
// heights without a block.
func (n *Node) Blocks() []evm.Block {
	n.mu.Lock()
	defer n.mu.Unlock()
	var blocks []evm.Block
	for _, b := range n.blocks {
		if !b.null {
			blocks = append(blocks, b.Block)
		}
	}
	return blocks
}

// Calls returns the number of calls of a method.
func (n *Node) Calls(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

// AllCalls returns the number of all calls and of HTTP requests.
func (n *Node) AllCalls() (calls, requests int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, count := range n.calls {
		calls += count
	}
	return calls, n.requests
}

// Ranges returns the ranges of eth_getLogs calls with topics, in order. Consecutive equal
// ranges are listed once.
func (n *Node) Ranges() []Asked {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Asked(nil), n.ranges...)
}
