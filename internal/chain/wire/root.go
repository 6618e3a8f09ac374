package wire

import (
	"bytes"
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// The transaction types whose receipts have the form of EIP-2718 with the payload of
// EIP-658: Ethereum's, Arbitrum's, OP stack deposits, and Celo's CIP-64 with a base fee. Those of
// Celo's older CIP-42 are not known.
const (
	lastEthereumType  = types.SetCodeTxType
	firstArbitrumType = 0x64
	lastArbitrumType  = 0x6a
	celoType          = 0x7b
	oldCeloType       = 0x7c
	depositType       = 0x7e
)

// Known reports whether the encoding of receipts of this type is known.
func (receipt *Receipt) Known() bool {
	t := receipt.Type
	return t <= lastEthereumType || firstArbitrumType <= t && t <= lastArbitrumType || t == depositType || t == celoType && receipt.baseFee != nil
}

// ReceiptsRoot returns the root of the receipts trie. It computes missing bloom filters. If
// noBlooms, the trie contains an empty string instead of each filter (EIP-7668).
func ReceiptsRoot(list []Receipt, noBlooms bool) evm.Hash {
	for i := range list {
		if list[i].bloom == nil {
			list[i].bloom = new(Bloom(list[i].Logs))
		}
	}
	return evm.Hash(types.DeriveSha(receiptList{list, noBlooms}, trie.NewStackTrie(nil)))
}

// EncodeReceipts returns the receipts as the trie of [ReceiptsRoot] contains them, which must have
// been called for them.
func EncodeReceipts(list []Receipt, noBlooms bool) []evm.Bytes {
	all := make([]evm.Bytes, len(list))
	for i := range list {
		var b bytes.Buffer
		receiptList{list, noBlooms}.EncodeIndex(i, &b)
		all[i] = evm.Bytes(b.Bytes())
	}
	return all
}

// StateSync returns the hash of the transaction that carries the state syncs of a Polygon
// block. Nodes list it last in the block, but neither the receipts root nor the bloom filter
// of the header covers it.
func StateSync(block evm.BlockRef) evm.Hash {
	name := binary.BigEndian.AppendUint64([]byte("matic-bor-receipt-"), block.Number)
	return evm.Hash(crypto.Keccak256Hash(name, block.Hash[:]))
}

// maxExtraData is the most bytes of extra data in Ethereum's headers (Yellow Paper,
// section 4.3.4).
const maxExtraData = 32

// HasSeal reports whether a header has a seal in its extra data, as on Polygon.
func HasSeal(header *types.Header) bool { return len(header.Extra) > maxExtraData }

// HasStateSync reports whether the last receipt is a Polygon state sync, see [StateSync],
// and the receipts root covers the receipts before it. It returns false unless the header
// has a seal in its extra data, as on Polygon, so that a node cannot invent such a receipt
// for an Ethereum block.
func HasStateSync(list []Receipt, header *types.Header, block evm.BlockRef) bool {
	last := len(list) - 1
	return last >= 0 && HasSeal(header) && list[last].TxHash == StateSync(block) &&
		ReceiptsRoot(list[:last], false) == evm.Hash(header.ReceiptHash)
}

// receiptList encodes receipts for the receipts trie (Yellow Paper, section 4.3.1;
// EIP-2718).
type receiptList struct {
	list     []Receipt
	noBlooms bool
}

// Len implements [types.DerivableList].
func (l receiptList) Len() int { return len(l.list) }

// EncodeIndex implements [types.DerivableList].
func (l receiptList) EncodeIndex(i int, w *bytes.Buffer) {
	receipt := &l.list[i]
	if receipt.Type != types.LegacyTxType {
		w.WriteByte(byte(receipt.Type))
	}
	logs := make([]rlpLog, len(receipt.Logs))
	for j := range receipt.Logs {
		log := &receipt.Logs[j]
		logs[j] = rlpLog{log.Address, log.Topics, log.Data}
	}
	encoded := rlpReceipt{receipt.outcome, receipt.gasUsed, receipt.bloom[:], logs, nil}
	if l.noBlooms {
		encoded.Bloom = nil
	}
	// The receipts root covers the deposit fields from version 1 on (Canyon).
	if receipt.deposit[1] > 0 {
		for _, n := range receipt.deposit {
			encoded.Tail = append(encoded.Tail, new(big.Int).SetUint64(n))
		}
	}
	if receipt.Type == celoType && receipt.baseFee != nil {
		encoded.Tail = []*big.Int{receipt.baseFee}
	}
	// These types always encode, and writes to a buffer never fail.
	_ = rlp.Encode(w, encoded)
}

type rlpReceipt struct {
	Outcome []byte
	GasUsed uint64
	Bloom   []byte
	Logs    []rlpLog
	Tail    []*big.Int `rlp:"tail"`
}

type rlpLog struct {
	Address [20]byte
	Topics  []evm.Hash
	Data    []byte
}
