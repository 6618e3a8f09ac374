package wire

import (
	"bytes"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// The types of transactions whose receipts have the form of EIP-2718 with the
// payload of EIP-658, and that of deposits on the OP stack.
const (
	lastEthereumType = types.SetCodeTxType
	depositType      = 0x7e
)

// Known reports whether the form of the receipt's type is known.
func (receipt *Receipt) Known() bool {
	return receipt.Type <= lastEthereumType || receipt.Type == depositType
}

// ReceiptsRoot returns the root of the receipts trie. Bloom filters that were not
// given are made.
func ReceiptsRoot(list []Receipt) evm.Hash {
	for i := range list {
		if list[i].bloom == nil {
			list[i].bloom = new(types.Bloom)
			AddLogs(list[i].bloom, list[i].Logs)
		}
	}
	return evm.Hash(types.DeriveSha(receiptList(list), trie.NewStackTrie(nil)))
}

// HasSystemReceipt reports whether the last receipt is of a transaction that the
// node adds to the block (Polygon's state sync), which the root does not cover:
// the root is that of the receipts before it.
func HasSystemReceipt(list []Receipt, root evm.Hash) bool {
	return len(list) > 0 && ReceiptsRoot(list[:len(list)-1]) == root
}

// receiptList encodes receipts as the receipts trie has them (Yellow Paper,
// section 4.3.1; EIP-2718).
type receiptList []Receipt

// Len implements [types.DerivableList].
func (l receiptList) Len() int { return len(l) }

// EncodeIndex implements [types.DerivableList].
func (l receiptList) EncodeIndex(i int, w *bytes.Buffer) {
	receipt := &l[i]
	if receipt.Type != types.LegacyTxType {
		w.WriteByte(byte(receipt.Type))
	}
	logs := make([]rlpLog, len(receipt.Logs))
	for j := range receipt.Logs {
		log := &receipt.Logs[j]
		logs[j] = rlpLog{log.Address, log.Topics, log.Data}
	}
	encoded := rlpReceipt{receipt.outcome, receipt.gasUsed, receipt.bloom, logs, nil}
	// The fields of a deposit are hashed from version 1 on (Canyon).
	if receipt.deposit[1] > 0 {
		encoded.Deposit = receipt.deposit[:]
	}
	// Nothing in it can fail to be encoded, nor a buffer to be written.
	_ = rlp.Encode(w, encoded)
}

type rlpReceipt struct {
	Outcome []byte
	GasUsed uint64
	Bloom   *types.Bloom
	Logs    []rlpLog
	Deposit []uint64 `rlp:"tail"`
}

type rlpLog struct {
	Address [20]byte
	Topics  []evm.Hash
	Data    []byte
}
