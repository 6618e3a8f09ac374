package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// maxTransactions bounds the transactions of an archived block, because each byte of the text
// may claim to be one, and takes 24 bytes of memory.
const maxTransactions = 1 << 20

// rlpHeader contains the fields of a header (Yellow Paper, section 4.4) that an archived block
// needs. Forks append fields.
type rlpHeader struct {
	ParentHash                     evm.Hash
	Uncles, Coinbase, State        rlp.RawValue
	TransactionsRoot, ReceiptsRoot evm.Hash
	Bloom                          []byte
	Difficulty                     rlp.RawValue
	Number                         uint64
	GasLimit, GasUsed              rlp.RawValue
	Time                           uint64
	Extra                          []byte
	Rest                           []rlp.RawValue `rlp:"tail"`
}

// bloom returns the bloom filter, or nil if the header has none (EIP-7668).
func (h *rlpHeader) bloom() *types.Bloom {
	if len(h.Bloom) != types.BloomByteLength {
		return nil
	}
	return (*types.Bloom)(h.Bloom)
}

// slimReceipt is a receipt of the eth/69 protocol (EIP-7642): without a bloom filter.
type slimReceipt struct {
	Type    uint8
	Outcome []byte
	GasUsed uint64
	Logs    []rlpLog
	Tail    []*big.Int `rlp:"tail"`
}

// ArchivedBlock decodes the RLP of a header, a body and a list of receipts, and proves that
// they are one block: the transactions and the receipts have the roots that the header
// contains. The block's hash is the header's. Receipts are in the form of EIP-2718, or of
// EIP-7642 if slim is set. ArchivedBlock fails if a text is malformed or is not of the block.
func ArchivedBlock(header, body, receipts []byte, slim bool) (*evm.Block, error) {
	var h rlpHeader
	if err := rlp.DecodeBytes(header, &h); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if h.Number > MaxBlockNumber {
		return nil, fmt.Errorf("header: got the number %d, want at most %d", h.Number, uint64(MaxBlockNumber))
	}
	hashes, err := h.transactions(body)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", h.Number, err)
	}
	logs, err := h.logs(receipts, slim, hashes)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", h.Number, err)
	}
	ref := evm.BlockRef{Number: h.Number, Hash: evm.Hash(crypto.Keccak256Hash(header))}
	return &evm.Block{Header: evm.Header{BlockRef: ref, ParentHash: h.ParentHash, Time: h.Time}, Logs: logs}, nil
}

// transactions returns the hashes of the transactions of a body, which must have the root of
// the header.
func (h *rlpHeader) transactions(body []byte) (hashes []evm.Hash, err error) {
	content, rest, err := rlp.SplitList(body)
	if err != nil || len(rest) > 0 {
		return nil, errors.New("body: want one RLP list")
	}
	list, _, err := rlp.SplitList(content)
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	txs, err := typed(list)
	if err != nil {
		return nil, fmt.Errorf("transactions: %w", err)
	}
	if root := evm.Hash(types.DeriveSha(txs, trie.NewStackTrie(nil))); root != h.TransactionsRoot {
		return nil, fmt.Errorf("the root of the transactions is %s, the header has %s", root, h.TransactionsRoot)
	}
	for _, tx := range txs {
		hashes = append(hashes, evm.Hash(crypto.Keccak256Hash(tx)))
	}
	return hashes, nil
}

// logs returns the logs of a list of receipts, which must have the root of the header.
func (h *rlpHeader) logs(receipts []byte, slim bool, txs []evm.Hash) ([]evm.Log, error) {
	content, rest, err := rlp.SplitList(receipts)
	if err != nil || len(rest) > 0 {
		return nil, errors.New("receipts: want one RLP list")
	}
	texts, err := typed(content)
	if err != nil {
		return nil, fmt.Errorf("receipts: %w", err)
	}
	if len(texts) != len(txs) {
		return nil, fmt.Errorf("got %d receipts, want one for each of %d transactions", len(texts), len(txs))
	}
	list, logs, err := texts.decode(slim)
	if err != nil {
		return nil, err
	}
	for i := range logs {
		logs[i].TxHash = txs[logs[i].TxIndex.N]
	}
	bloom := h.bloom()
	if root := ReceiptsRoot(list, bloom == nil); root != h.ReceiptsRoot {
		return nil, fmt.Errorf("the root of the receipts is %s, the header has %s", root, h.ReceiptsRoot)
	}
	if bloom != nil && *bloom != (types.Bloom{}) && Bloom(logs) != *bloom {
		return nil, errors.New("the bloom filter does not match the logs")
	}
	return logs, nil
}

// decode decodes receipts. logs are those of all, with their places in the block.
func (l typedList) decode(slim bool) (list []Receipt, logs []evm.Log, err error) {
	list, logs = make([]Receipt, len(l)), []evm.Log{}
	for i, text := range l {
		first := len(logs)
		if logs, err = list[i].decode(text, slim, logs); err != nil {
			return nil, nil, fmt.Errorf("receipt %d: %w", i, err)
		}
		for j := range logs[first:] {
			log := &logs[first+j]
			log.TxIndex, log.Index = evm.TxIndex{N: uint32(i), Known: true}, uint32(first+j)
		}
		list[i].Logs = logs[first:]
	}
	return list, logs, nil
}

// decode sets the fields that the receipts root covers, and appends the logs to logs.
func (receipt *Receipt) decode(text []byte, slim bool, logs []evm.Log) ([]evm.Log, error) {
	var r rlpReceipt
	if len(text) > 0 && text[0] < firstList && !slim {
		receipt.Type, text = uint64(text[0]), text[1:]
	}
	// Both forms have four fields up to the logs. Each further one may be a byte that takes forty.
	content, _, err := rlp.SplitList(text)
	if n, _ := rlp.CountValues(content); n > 4+len(receipt.deposit) {
		return nil, fmt.Errorf("got %d fields after the logs, want at most %d", n-4, len(receipt.deposit))
	}
	if err != nil {
		return nil, err
	}
	if slim {
		var s slimReceipt
		err = rlp.DecodeBytes(text, &s)
		receipt.Type = uint64(s.Type)
		r = rlpReceipt{Outcome: s.Outcome, GasUsed: s.GasUsed, Logs: s.Logs, Tail: s.Tail}
	} else {
		err = rlp.DecodeBytes(text, &r)
	}
	if err != nil {
		return nil, err
	}
	receipt.outcome, receipt.gasUsed = r.Outcome, r.GasUsed
	if len(r.Bloom) > 0 {
		if len(r.Bloom) != types.BloomByteLength {
			return nil, fmt.Errorf("got a bloom filter of %d bytes, want %d", len(r.Bloom), types.BloomByteLength)
		}
		receipt.bloom = (*types.Bloom)(r.Bloom)
	}
	if receipt.Type == celoType && len(r.Tail) == 1 {
		receipt.baseFee, r.Tail = r.Tail[0], nil
	}
	for i, n := range r.Tail {
		if !n.IsUint64() {
			return nil, fmt.Errorf("field %d after the logs has more than 64 bits", i+1)
		}
		receipt.deposit[i] = n.Uint64()
	}
	for _, log := range r.Logs {
		if len(log.Topics) > maxTopics {
			return nil, fmt.Errorf("got a log with %d topics, want at most %d", len(log.Topics), maxTopics)
		}
		logs = append(logs, evm.Log{Address: log.Address, Topics: log.Topics, Data: log.Data})
	}
	return logs, nil
}

// firstList is the smallest first byte of an RLP list (Yellow Paper, app. B).
const firstList = 0xc0

// typedList contains transactions or receipts as their tries contain them: a type and a
// payload (EIP-2718), or an RLP list.
type typedList []hexutil.Bytes

// typed splits the content of an RLP list. It fails if the list is malformed, or if an element
// is an empty string or a list is too long.
func typed(content []byte) (list typedList, err error) {
	for len(content) > 0 {
		kind, inner, rest, err := rlp.Split(content)
		if err != nil {
			return nil, err
		}
		whole := content[:len(content)-len(rest)]
		if kind != rlp.List {
			if whole = inner; len(inner) == 0 {
				return nil, fmt.Errorf("element %d is empty", len(list))
			}
		}
		if list, content = append(list, whole), rest; len(list) > maxTransactions {
			return nil, fmt.Errorf("got more than %d elements, want at most that many", maxTransactions)
		}
	}
	return list, nil
}

// Len implements [types.DerivableList].
func (l typedList) Len() int { return len(l) }

// EncodeIndex implements [types.DerivableList].
func (l typedList) EncodeIndex(i int, w *bytes.Buffer) { w.Write(l[i]) }
