package chaintest

import (
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// Recorded is a block as a node returned it, for [Node.Play].
type Recorded struct {
	// Block is the result of eth_getBlockByNumber, with full transactions or
	// their hashes.
	Block json.RawMessage `json:"block"`
	// Receipts is the result of eth_getBlockReceipts.
	Receipts []json.RawMessage `json:"receipts"`
}

// Play replaces all blocks from the number of the first recorded block on by the recorded
// blocks. The replaced blocks are no longer served by hash, so this is a reorg unless there
// are none, or only the node's own genesis block. If the node has nothing but that, the
// recorded blocks may begin at any number. Play fails and changes nothing if a block cannot
// be read or is not linked to the one before it.
func (n *Node) Play(blocks ...Recorded) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	played := make([]*nodeBlock, len(blocks))
	for i := range blocks {
		b, err := blocks[i].read(n.o.NoTimes)
		if err != nil {
			return fmt.Errorf("recorded block %d of %d: %w", i+1, len(blocks), err)
		}
		var before *nodeBlock
		switch number := b.Header.Number; {
		case i > 0:
			before = played[i-1]
		case number == 0 && n.base == 0, len(n.blocks) == 1 && n.base == 0 && number > 1:
		case number > n.base+uint64(len(n.blocks)) || number <= n.base:
			return fmt.Errorf("recorded block %d: the chain has %d blocks", number, len(n.blocks))
		default:
			before = n.blocks[number-1-n.base]
		}
		if before != nil && (b.Header.Number != before.Header.Number+1 || b.Header.ParentHash != before.Header.Hash) {
			return fmt.Errorf("recorded block %d does not follow block %d %s", b.Header.Number, before.Header.Number, before.Header.Hash)
		}
		played[i] = b
	}
	if len(played) > 0 {
		first := played[0].Header.Number
		if first > n.base+uint64(len(n.blocks)) {
			n.drop(len(n.blocks))
			n.base = first
		}
		if depth := len(n.blocks) - int(first-n.base); depth > 0 {
			n.drop(depth)
		}
	}
	for _, b := range played {
		n.add(b)
	}
	return nil
}

// Recorded returns a canonical block as the node serves it.
func (n *Node) Recorded(number uint64) Recorded {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.blocks[number-n.base]
	texts := b.texts()
	return Recorded{Block: texts.header, Receipts: texts.receipts}
}

// Line returns the block as a line of an import file, without the line end.
func (r Recorded) Line() []byte { return mustJSON(r) }

// read converts a recorded block. It fails if the block or a receipt is not valid JSON.
func (r *Recorded) read(noTimes bool) (*nodeBlock, error) {
	var header struct {
		Number     hexutil.Uint64
		Hash       common.Hash
		ParentHash common.Hash
		Timestamp  hexutil.Uint64
		// Transactions are hashes or full transactions.
		Transactions []json.RawMessage
	}
	if err := json.Unmarshal(r.Block, &header); err != nil {
		return nil, err
	}
	texts := &blockTexts{receipts: []json.RawMessage{}}
	b := &nodeBlock{texts: func() *blockTexts { return texts }}
	b.Header = evm.Header{
		BlockRef:   evm.BlockRef{Number: uint64(header.Number), Hash: evm.Hash(header.Hash)},
		ParentHash: evm.Hash(header.ParentHash), Time: uint64(header.Timestamp),
	}
	for _, text := range header.Transactions {
		var whole struct{ Hash common.Hash }
		to := any(&whole)
		if text[0] == '"' {
			to = &whole.Hash
		} else {
			b.objects = append(b.objects, text)
		}
		if err := json.Unmarshal(text, to); err != nil {
			return nil, err
		}
		b.txs = append(b.txs, whole.Hash)
	}
	b.Logs = []evm.Log{}
	for _, text := range r.Receipts {
		var receipt struct {
			TransactionHash common.Hash
			Logs            []json.RawMessage
		}
		if err := json.Unmarshal(text, &receipt); err != nil {
			return nil, err
		}
		texts.receipts, b.of = append(texts.receipts, text), append(b.of, receipt.TransactionHash)
		for _, text := range receipt.Logs {
			log := new(types.Log)
			if err := json.Unmarshal(text, log); err != nil {
				return nil, err
			}
			b.addLog(log)
			texts.logs = append(texts.logs, logText(text, noTimes))
		}
	}
	texts.header = fields(r.Block, func(f map[string]any) { f["transactions"] = append([]common.Hash{}, b.txs...) })
	return b, nil
}

// receiptText returns an Ethereum receipt as JSON.
func receiptText(receipt *types.Receipt) json.RawMessage {
	logs := []json.RawMessage{}
	for _, log := range receipt.Logs {
		logs = append(logs, mustJSON(log))
	}
	return new(Shape).receiptText(receipt, logs)
}

// Record converts a go-ethereum block and its receipts to the form in which a node
// returns them.
func Record(block *types.Block, receipts types.Receipts) Recorded {
	r := Recorded{Receipts: []json.RawMessage{}}
	txs := []common.Hash{}
	for _, tx := range block.Transactions() {
		txs = append(txs, tx.Hash())
	}
	r.Block = new(Shape).headerText(block.Header(), txs)
	for _, receipt := range receipts {
		r.Receipts = append(r.Receipts, receiptText(receipt))
	}
	return r
}
