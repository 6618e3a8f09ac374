package chaintest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// nodeBlock is a block of a [Node] with its answers.
type nodeBlock struct {
	evm.Block
	logs []*types.Log
	txs  []common.Hash
	// of holds the transaction hashes of the receipts.
	of []common.Hash
	// objects are the recorded transactions, nil if they are generated.
	objects []json.RawMessage
	// null is set if the height has no block. Header then holds the hash of the block before.
	null bool
	// texts returns the block as JSON. It is computed only if a client reads the block.
	texts func() *blockTexts
}

// blockTexts is a block as JSON. logs has the order of nodeBlock.logs.
type blockTexts struct {
	header         json.RawMessage
	receipts, logs []json.RawMessage
}

// append builds and adds the next block. The caller must hold mu.
func (n *Node) append(txs [][]evm.Log) *nodeBlock {
	b := new(nodeBlock)
	number := n.base + uint64(len(n.blocks))
	if slices.Contains(n.o.Null, number) {
		b.null, b.Header.BlockRef = true, evm.BlockRef{Number: number, Hash: n.blocks[len(n.blocks)-1].Header.Hash}
		n.blocks = append(n.blocks, b)
		return b
	}
	header := &types.Header{
		Number: new(big.Int).SetUint64(number), Difficulty: new(big.Int), BaseFee: big.NewInt(7),
		Time: genesisTime + blockTime*number, GasLimit: 60_000_000,
		UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, WithdrawalsHash: &types.EmptyWithdrawalsHash,
		Extra: fmt.Appendf(nil, "branch %d", n.branch),
	}
	if number > 0 && number == n.o.Falls {
		header.Time -= 60 + blockTime
	}
	if number > 0 {
		header.ParentHash = common.Hash(n.blocks[len(n.blocks)-1].Header.Hash)
	}
	namer := &generator{o: Options{Seed: n.o.ChainID<<32 | n.branch}}
	var receipts types.Receipts
	index := uint(0)
	for i, logs := range txs {
		hash := common.Hash(namer.hash('t', number, uint64(i)))
		// Mix transaction types, so that proofs have to handle typed receipts.
		receipt := &types.Receipt{
			Type: n.o.Shape.receiptType(i), Status: types.ReceiptStatusSuccessful, CumulativeGasUsed: 21_000 * uint64(i+1), GasUsed: 21_000,
			TxHash: hash, TransactionIndex: uint(i), BlockNumber: header.Number, EffectiveGasPrice: big.NewInt(7), Logs: []*types.Log{},
		}
		for _, log := range logs {
			receipt.Logs = append(receipt.Logs, &types.Log{
				Address: common.Address(log.Address), Topics: hashes[common.Hash](log.Topics), Data: log.Data, BlockNumber: number,
				TxHash: hash, TxIndex: uint(i), Index: index + uint(len(receipt.Logs)), BlockTimestamp: header.Time,
			})
		}
		index = n.o.Shape.index(i, index, len(logs))
		receipt.Bloom = types.CreateBloom(receipt)
		receipts = append(receipts, receipt)
		b.txs = append(b.txs, hash)
		header.GasUsed += receipt.GasUsed
	}
	header.ReceiptHash = types.DeriveSha(trieList{receipts, n.o.Shape.noBlooms(header.Number)}, trie.NewStackTrie(nil))
	header.Bloom = types.MergeBloom(receipts)
	if len(txs) > 0 {
		header.TxHash = common.Hash(namer.hash('r', number, 0))
	}
	n.o.Shape.seal(header, receipts)
	if n.o.Shape.StateSync && txs != nil {
		added := stateSync(header.Number, n.o.Shape.hash(header), header.Time, len(txs), index)
		b.txs, receipts = append(b.txs, added.TxHash), append(receipts, added)
	}
	b.finish(header, receipts, &n.o)
	n.add(b)
	return b
}

// add makes a block the head. The caller must hold mu.
func (n *Node) add(b *nodeBlock) {
	n.blocks = append(n.blocks, b)
	n.byHash[b.Header.Hash] = b
}

// drop orphans the last blocks. The caller must hold mu.
func (n *Node) drop(depth int) {
	n.orphaned = append([]*nodeBlock(nil), n.blocks...)
	for _, b := range n.blocks[len(n.blocks)-depth:] {
		delete(n.byHash, b.Header.Hash)
	}
	n.blocks = n.blocks[:len(n.blocks)-depth]
}

// finish sets the fields that depend on the header's hash.
func (b *nodeBlock) finish(header *types.Header, receipts types.Receipts, o *NodeOptions) {
	hash := o.Shape.hash(header)
	b.Header = evm.Header{
		BlockRef:   evm.BlockRef{Number: header.Number.Uint64(), Hash: evm.Hash(hash)},
		ParentHash: evm.Hash(header.ParentHash), Time: header.Time,
	}
	b.Logs = []evm.Log{}
	for _, receipt := range receipts {
		receipt.BlockHash = hash
		for _, log := range receipt.Logs {
			log.BlockHash = hash
			b.addLog(log)
		}
		b.of = append(b.of, receipt.TxHash)
	}
	txs, shape, noTimes := append([]common.Hash{}, b.txs...), o.Shape, o.NoTimes
	b.texts = sync.OnceValue(func() *blockTexts {
		texts := &blockTexts{header: shape.headerText(header, txs), receipts: []json.RawMessage{}}
		for _, receipt := range receipts {
			first := len(texts.logs)
			for _, log := range receipt.Logs {
				texts.logs = append(texts.logs, logText(log, noTimes))
			}
			texts.receipts = append(texts.receipts, shape.receiptText(receipt, texts.logs[first:]))
		}
		return texts
	})
}

// header returns the header as JSON. If full, transactions are the recorded objects, or have
// hash, type, from, to and value. Every fourth one creates a contract.
func (b *nodeBlock) header(full bool) json.RawMessage {
	if b.null {
		return null
	}
	texts := b.texts()
	if !full {
		return texts.header
	}
	return fields(texts.header, func(f map[string]any) {
		if b.objects != nil {
			f["transactions"] = b.objects
			return
		}
		txs := []any{}
		for i, hash := range b.of {
			var receipt struct{ Type json.RawMessage }
			// The node has written the receipt.
			_ = json.Unmarshal(texts.receipts[i], &receipt)
			object := map[string]any{"hash": hash, "type": receipt.Type, "from": common.Address(hash[:20]), "value": fmt.Sprintf("%#x", hash[:9])}
			if hash[31]%4 > 0 {
				object["to"] = common.Address(hash[12:])
			}
			txs = append(txs, object)
		}
		f["transactions"] = txs
	})
}

// addLog adds a log.
func (b *nodeBlock) addLog(log *types.Log) {
	b.logs = append(b.logs, log)
	b.Logs = append(b.Logs, evm.Log{
		Address: evm.Address(log.Address), Topics: hashes[evm.Hash](log.Topics), Data: append([]byte{}, log.Data...),
		TxHash: evm.Hash(log.TxHash), TxIndex: evm.TxIndex{N: uint32(log.TxIndex), Known: true}, Index: uint32(log.Index),
	})
}

// logText returns a log as JSON, without blockTimestamp if noTimes is set.
func logText(log any, noTimes bool) json.RawMessage {
	if !noTimes {
		return mustJSON(log)
	}
	return fields(log, func(f map[string]any) { delete(f, "blockTimestamp") })
}

// fields returns v as JSON after edit has changed its fields. It leaves out null fields.
func fields(v any, edit func(map[string]any)) json.RawMessage {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(mustJSON(v), &values); err != nil {
		panic(err)
	}
	object := map[string]any{}
	for name, value := range values {
		if string(value) != "null" {
			object[name] = value
		}
	}
	edit(object)
	return mustJSON(object)
}

// hashes converts between hash types.
func hashes[To, From ~[32]byte](list []From) []To {
	converted := make([]To, len(list))
	for i, hash := range list {
		converted[i] = To(hash)
	}
	return converted
}
