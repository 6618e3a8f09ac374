package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/demo"
)

// finalDepth is how far below the head blocks are final.
const finalDepth = 8

// eth has the methods eth_….
type eth struct{ chain *chain }

// ChainId returns the EIP-155 id.
func (*eth) ChainId() hexutil.Uint64 { return demo.ChainID }

// BlockNumber returns the number of the head.
func (e *eth) BlockNumber() hexutil.Uint64 {
	e.chain.mu.Lock()
	defer e.chain.mu.Unlock()
	return hexutil.Uint64(len(e.chain.blocks) - 1)
}

// find returns a block by number, tag or hash, or nil.
func (e *eth) find(which rpc.BlockNumberOrHash) *block {
	e.chain.mu.Lock()
	defer e.chain.mu.Unlock()
	if hash, ok := which.Hash(); ok {
		return e.chain.byHash[hash]
	}
	number, _ := which.Number()
	if i := index(number, len(e.chain.blocks)-1); i < len(e.chain.blocks) {
		return e.chain.blocks[i]
	}
	return nil
}

// index returns the number that a number or a tag means.
func index(number rpc.BlockNumber, head int) int {
	switch number {
	case rpc.SafeBlockNumber, rpc.FinalizedBlockNumber:
		return max(head-finalDepth, 0)
	case rpc.LatestBlockNumber, rpc.PendingBlockNumber:
		return head
	case rpc.EarliestBlockNumber:
		return 0
	}
	return int(number)
}

// GetBlockByNumber returns a block, or null.
func (e *eth) GetBlockByNumber(number rpc.BlockNumber, full bool) object {
	return e.GetBlockByHash(rpc.BlockNumberOrHashWithNumber(number), full)
}

// GetBlockByHash returns a block with its transactions or their hashes, or null.
func (e *eth) GetBlockByHash(hash rpc.BlockNumberOrHash, full bool) object {
	b := e.find(hash)
	if b == nil || full {
		return fieldsOf(b)
	}
	fields, hashes := object{}, []any{}
	for name, value := range b.fields {
		fields[name] = value
	}
	for _, transaction := range b.fields["transactions"].([]any) {
		hashes = append(hashes, transaction.(object)["hash"])
	}
	fields["transactions"] = hashes
	return fields
}

func fieldsOf(b *block) object {
	if b == nil {
		return nil
	}
	return b.fields
}

// GetBlockReceipts returns the receipts of a block, or null.
func (e *eth) GetBlockReceipts(which rpc.BlockNumberOrHash) []object {
	if b := e.find(which); b != nil {
		return append([]object{}, b.receipts...)
	}
	return nil
}

// filter is the parameter of eth_getLogs.
type filter struct {
	FromBlock *rpc.BlockNumber          `json:"fromBlock"`
	ToBlock   *rpc.BlockNumber          `json:"toBlock"`
	BlockHash *common.Hash              `json:"blockHash"`
	Address   oneOrMore[common.Address] `json:"address"`
	Topics    []oneOrMore[common.Hash]  `json:"topics"`
}

// GetLogs returns the logs that match a filter.
func (e *eth) GetLogs(f filter) ([]*types.Log, error) {
	blocks, logs := []*block{}, []*types.Log{}
	if f.BlockHash != nil {
		b := e.find(rpc.BlockNumberOrHashWithHash(*f.BlockHash, false))
		if b == nil {
			return nil, errors.New("unknown block")
		}
		blocks = append(blocks, b)
	} else {
		e.chain.mu.Lock()
		head := len(e.chain.blocks) - 1
		from, to := head, head
		if f.FromBlock != nil {
			from = index(*f.FromBlock, head)
		}
		if f.ToBlock != nil {
			to = index(*f.ToBlock, head)
		}
		if from <= min(to, head) {
			blocks = e.chain.blocks[from : min(to, head)+1]
		}
		e.chain.mu.Unlock()
	}
	for _, b := range blocks {
		for _, log := range b.logs {
			if f.matches(log) {
				logs = append(logs, log)
			}
		}
	}
	return logs, nil
}

// matches reports whether a log matches the addresses and topics.
func (f *filter) matches(log *types.Log) bool {
	if !f.Address.has(log.Address) || len(f.Topics) > len(log.Topics) {
		return false
	}
	for i, topics := range f.Topics {
		if !topics.has(log.Topics[i]) {
			return false
		}
	}
	return true
}

// oneOrMore is a value, a list of values, or null for all values.
type oneOrMore[T comparable] []T

// UnmarshalJSON reads a value, a list or null.
func (l *oneOrMore[T]) UnmarshalJSON(text []byte) error {
	if text[0] == '[' || string(text) == "null" {
		return json.Unmarshal(text, (*[]T)(l))
	}
	var one T
	err := json.Unmarshal(text, &one)
	*l = []T{one}
	return err
}

func (l oneOrMore[T]) has(value T) bool { return len(l) == 0 || slices.Contains(l, value) }

// message is the parameter of eth_call.
type message struct {
	To    common.Address `json:"to"`
	Data  hexutil.Bytes  `json:"data"`
	Input hexutil.Bytes  `json:"input"`
}

// The selectors of tokenURI(uint256) of ERC-721 and uri(uint256) of ERC-1155, and that of
// contractURI() of ERC-7572.
const (
	tokenURI    = 0xc87b56dd
	uri         = 0x0e89341c
	contractURI = 0xe8a3d485
)

// Call returns the document of a token or a collection as a data: URI. Other calls of a contract
// revert, and those of an account without code return nothing.
func (e *eth) Call(m message, _ *rpc.BlockNumberOrHash) (hexutil.Bytes, error) {
	if e.chain.collections[m.To] == "" {
		return hexutil.Bytes{}, nil
	}
	document := ""
	if data := slices.Concat(m.Data, m.Input); len(data) >= 4 {
		switch selector := binary.BigEndian.Uint32(data); {
		case selector == contractURI:
			document = e.chain.collections[m.To]
		case (selector == tokenURI || selector == uri) && len(data) == 4+32:
			document = e.chain.documents[m.To][new(big.Int).SetBytes(data[4:]).Uint64()]
		}
	}
	if document == "" {
		return nil, errors.New("execution reverted")
	}
	link := "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(document))
	// A string of the ABI: its offset, its length, and its bytes in whole words.
	text := make([]byte, 64+(len(link)+31)/32*32)
	text[31] = 32
	binary.BigEndian.PutUint64(text[56:], uint64(len(link)))
	copy(text[64:], link)
	return text, nil
}
