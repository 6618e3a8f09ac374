package indexer_test

import (
	"crypto/ecdsa"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// gethChain is a chain that go-ethereum executes and validates, including reorgs. A
// scripted node serves its blocks.
type gethChain struct {
	t      *testing.T
	chain  *core.BlockChain
	config *params.ChainConfig
	engine consensus.Engine
	// states contains the states of all blocks of all branches, to mine on.
	states ethdb.Database
	node   *chaintest.Node
	// known are the hashes of the blocks that the node has.
	known []common.Hash
}

func newGethChain(t *testing.T, genesis *core.Genesis) *gethChain {
	t.Helper()
	g := &gethChain{t: t, config: genesis.Config, engine: beacon.New(ethash.NewFaker()), node: chaintest.NewNode(t, chaintest.NodeOptions{})}
	g.states, _, _ = core.GenerateChainWithGenesis(genesis, g.engine, 0, nil)
	var err error
	g.chain, err = core.NewBlockChain(rawdb.NewMemoryDatabase(), genesis, g.engine, core.DefaultConfig().WithArchive(true))
	expect.NoError(t, err)
	t.Cleanup(g.chain.Stop)
	g.publish()
	return g
}

// block is the content of a block to mine.
type block struct {
	txs []*types.Transaction
	// time is in Unix seconds; 0 means some time after the parent.
	time uint64
}

// mine adds blocks on top of canonical block parent. They become canonical.
func (g *gethChain) mine(parent uint64, name string, blocks ...block) {
	g.t.Helper()
	mined, _ := core.GenerateChain(g.config, g.chain.GetBlockByNumber(parent), g.engine, g.states, len(blocks), func(i int, b *core.BlockGen) {
		b.SetExtra([]byte(name))
		if at := blocks[i].time; at != 0 {
			b.OffsetTime(int64(at - b.Timestamp()))
		}
		for _, tx := range blocks[i].txs {
			b.AddTx(tx)
		}
	})
	if _, err := g.chain.InsertChain(mined); err != nil {
		g.t.Fatal(err)
	}
	if head := g.chain.CurrentBlock().Hash(); head != mined[len(mined)-1].Hash() {
		g.t.Fatalf("the head is %s, want the last mined block", head)
	}
	g.publish()
}

// publish makes the node serve the canonical chain.
func (g *gethChain) publish() {
	g.t.Helper()
	var fresh []chaintest.Recorded
	for number := range g.chain.CurrentBlock().Number.Uint64() + 1 {
		b := g.chain.GetBlockByNumber(number)
		if number < uint64(len(g.known)) && g.known[number] == b.Hash() {
			continue
		}
		g.known = append(g.known[:number], b.Hash())
		fresh = append(fresh, chaintest.Record(b, g.chain.GetReceiptsByHash(b.Hash())))
	}
	play(g.t, g.node, fresh)
}

// TestStep_Geth executes all transactions of the recorded chain on go-ethereum's EVM. The
// blocks differ from the recorded ones only in their hashes. Then it mines the end of the
// chain again, two blocks higher. Before and after, the stored supplies must equal those
// that the contracts return.
func TestStep_Geth(t *testing.T) {
	long(t)
	want := chaintest.WantAnswers(t)
	genesis, blocks := recordedChain(t)
	g := newGethChain(t, genesis)
	g.mine(0, "recorded", blocks...)
	r := follow(t, storetest.SQLite(t), jsonrpc.Options{}, g.node)
	r.settle(t)
	r.checkKey(t, want, 360, "Hash")
	r.checkHead(t, g.node)
	r.proveAll(t, g.node)
	random := rand.New(rand.NewPCG(13, 14))
	r.checkSupplies(t, g, random)

	const common = 300
	again := []block{{}, {}}
	for _, b := range blocks[common:] {
		again = append(again, block{txs: b.txs})
	}
	g.mine(common, "again", again...)
	for _, records := range want[:2] {
		for i := range records {
			if records[i].Block > common {
				records[i].Block += 2
			}
		}
	}
	r.settle(t)
	r.checkKey(t, want, 362, "Hash", "Time")
	r.checkHead(t, g.node)
	r.checkFresh(t, g.node)
	r.proveAll(t, g.node)
	r.checkSupplies(t, g, random)
	r.checkLateStart(t, g)
}

// TestStep_GethReorgs mines transactions with random logs, some of which fail, on
// go-ethereum's EVM, with reorgs.
func TestStep_GethReorgs(t *testing.T) {
	long(t)
	wallet := newWallet(t)
	alloc := core.SystemContractAllocs()
	alloc[wallet.address] = types.Account{Balance: new(big.Int).Lsh(big.NewInt(1), 100)}
	for i := range uint64(3) {
		alloc[common.Address(collection(i))] = types.Account{Code: logger(), Balance: new(big.Int)}
	}
	g := newGethChain(t, &core.Genesis{Config: params.MergedTestChainConfig, GasLimit: 30_000_000, Difficulty: new(big.Int), BaseFee: big.NewInt(params.GWei), Alloc: alloc})
	wallet.signer = types.LatestSigner(g.config)
	for name, databaseOf := range storetest.Databases() {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(11, 12))
			r := follow(t, databaseOf(t), jsonrpc.Options{}, g.node)
			// The first nonce of each block, and its logs.
			nonces, mined := []uint64{0, 0}, [][]evm.Log{nil}
			for round, depth := range []int{0, 1, 5, 30, 2, 60} {
				head := len(mined) - 1 - depth
				nonces, mined = nonces[:head+2], mined[:head+1]
				var blocks []block
				for range depth + 1 + random.IntN(10) + 70*(1-min(1, round)) {
					txs, logs := wallet.block(random, nonces[len(nonces)-1])
					blocks = append(blocks, block{txs: txs})
					nonces, mined = append(nonces, nonces[len(nonces)-1]+uint64(len(txs))), append(mined, logs)
				}
				g.mine(uint64(head), name+string(rune('a'+round)), blocks...)
				r.settleAt(t, g.node)
				r.checkFresh(t, g.node)
				r.proveAll(t, g.node)
				var got [][]evm.Log
				for _, b := range g.node.Blocks() {
					var logs []evm.Log
					for _, log := range b.Logs {
						logs = append(logs, evm.Log{Address: log.Address, Topics: log.Topics, Data: log.Data})
					}
					got = append(got, logs)
				}
				expect.Equal(t, "mined logs", mined, got, cmp.Transformer("bytes", func(b []byte) string { return string(b) }))
			}
		})
	}
}

// wallet signs transactions.
type wallet struct {
	t       *testing.T
	key     *ecdsa.PrivateKey
	address common.Address
	signer  types.Signer
}

func newWallet(t *testing.T) *wallet {
	t.Helper()
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{7}, 32))
	expect.NoError(t, err)
	return &wallet{t: t, key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
}

// block returns transactions with consecutive nonces from nonce on, and the logs that
// they emit. About one in five fails and emits none.
func (w *wallet) block(random *rand.Rand, nonce uint64) (txs []*types.Transaction, emitted []evm.Log) {
	w.t.Helper()
	for _, logs := range randomTxs(random) {
		fails := random.IntN(5) == 0
		const gas = 2_000_000
		code, price := emitting(logs, fails), big.NewInt(100*params.GWei)
		var data types.TxData
		switch nonce % 3 {
		case 0:
			data = &types.LegacyTx{Nonce: nonce, Gas: gas, GasPrice: price, Data: code}
		case 1:
			data = &types.AccessListTx{ChainID: w.signer.ChainID(), Nonce: nonce, Gas: gas, GasPrice: price, Data: code}
		default:
			data = &types.DynamicFeeTx{ChainID: w.signer.ChainID(), Nonce: nonce, Gas: gas, GasFeeCap: price, GasTipCap: big.NewInt(1), Data: code}
		}
		tx, err := types.SignNewTx(w.key, w.signer, data)
		if err != nil {
			w.t.Fatal(err)
		}
		txs = append(txs, tx)
		nonce++
		if fails {
			continue
		}
		for _, log := range logs {
			emitted = append(emitted, evm.Log{Address: log.Address, Topics: log.Topics, Data: log.Data})
		}
	}
	return txs, emitted
}

// logger returns the code of a contract that emits the log in the call data: a word with
// the number of topics, four words for the topics, and the log's data.
func logger() (code []byte) {
	op := func(codes ...vm.OpCode) {
		for _, c := range codes {
			code = append(code, byte(c))
		}
	}
	op(vm.CALLDATASIZE, vm.PUSH0, vm.PUSH0, vm.CALLDATACOPY)
	for topics := range 5 {
		// The comparison and jump take 9 bytes, the body 8 and 3 for each topic.
		next := len(code) + 9 + 3*topics + 8
		op(vm.PUSH0, vm.MLOAD, vm.PUSH1, vm.OpCode(topics), vm.EQ, vm.ISZERO, vm.PUSH1, vm.OpCode(next), vm.JUMPI)
		for i := topics; i > 0; i-- {
			op(vm.PUSH1, vm.OpCode(32*i), vm.MLOAD)
		}
		op(vm.PUSH1, 160, vm.CALLDATASIZE, vm.SUB, vm.PUSH1, 160, vm.LOG0+vm.OpCode(topics), vm.STOP)
		op(vm.JUMPDEST)
	}
	return code
}

// emitting returns the code of a contract-creating transaction that calls loggers to emit
// logs. If fails is set, it reverts afterwards.
func emitting(logs []evm.Log, fails bool) []byte {
	const callSize, endSize = 39, 3
	var code, calls []byte
	for _, log := range logs {
		call := words(uint64(len(log.Topics)))
		for i := range 4 {
			var topic evm.Hash
			if i < len(log.Topics) {
				topic = log.Topics[i]
			}
			call = append(call, topic[:]...)
		}
		call = append(call, log.Data...)
		size := binary.BigEndian.AppendUint16([]byte{byte(vm.PUSH2)}, uint16(len(call)))
		at := binary.BigEndian.AppendUint16([]byte{byte(vm.PUSH2)}, uint16(callSize*len(logs)+endSize+len(calls)))
		code = append(append(append(code, size...), at...), byte(vm.PUSH0), byte(vm.CODECOPY))
		code = append(append(code, byte(vm.PUSH0), byte(vm.PUSH0)), size...)
		code = append(append(code, byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.PUSH20)), log.Address[:]...)
		code = append(code, byte(vm.GAS), byte(vm.CALL), byte(vm.POP))
		calls = append(calls, call...)
	}
	end := []byte{byte(vm.STOP), 0, 0}
	if fails {
		end = []byte{byte(vm.PUSH0), byte(vm.PUSH0), byte(vm.REVERT)}
	}
	return append(append(code, end...), calls...)
}
