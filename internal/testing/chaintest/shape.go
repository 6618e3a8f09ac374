package chaintest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"mintburn/internal/evm"
)

// Shape describes how the blocks of a [Node] differ from Ethereum's, as those of other
// real chains do. The zero value is Ethereum.
type Shape struct {
	// PerTransaction makes log indexes begin at 0 in each transaction.
	PerTransaction bool
	// Gaps makes each transaction without logs use up this many log indexes, as failed
	// transactions do on some Ethermint chains.
	Gaps uint
	// OtherHash makes the hash of a header differ from the hash of its fields, as on
	// Ethermint chains.
	OtherHash bool
	// ExtraFields and MoreFields are added to headers. If there are ExtraFields, the hash
	// of a header is not that of Ethereum's fields.
	ExtraFields, MoreFields map[string]any
	// Types holds the transaction types that a block cycles through, by default 0, 1 and 2.
	// OP stack deposits ([DepositType]) have additional receipt fields.
	Types []uint8
	// ReceiptFields are added to receipts.
	ReceiptFields map[string]any
	// RestartAt, if not 0, is the place of a transaction whose log indexes begin at 0.
	RestartAt int
	// NoRoots zeroes the receipts root and bloom filter of headers.
	NoRoots bool
	// ZeroBlooms zeroes the bloom filter of headers, as on chains that keep none.
	ZeroBlooms bool
	// LastBloom makes the bloom filter of a header that of its last transaction, as on Evmos.
	LastBloom bool
	// NoBloomsFrom, if not 0, is the first block with an empty string instead of bloom filters,
	// in its header and in its receipts (EIP-7668).
	NoBloomsFrom uint64
	// StateSync adds a transaction with a log to each block with a list of transactions, even an
	// empty one that is not nil. As on Polygon, neither the receipts root nor the bloom filter
	// covers it.
	StateSync bool
	// Unsealed leaves the seal out of headers. Together with StateSync it simulates a node
	// that invents receipts.
	Unsealed bool
}

// DepositType is the type of OP stack deposits. In blocks with an even number a deposit
// receipt has two additional fields that the receipts root covers, as since Canyon. In other
// blocks it has one, which the root does not cover, as before Canyon.
const DepositType = 0x7e

// CeloType is the type of Celo's transactions with a fee currency (CIP-64). The receipts root
// covers the base fee in their receipts.
const CeloType = 0x7b

// celoBaseFee has more than 64 bits.
var celoBaseFee = new(big.Int).Lsh(big.NewInt(3), 64)

// Networks returns the shapes of networks that differ from Ethereum, by name.
func Networks() map[string]Shape {
	return map[string]Shape{
		"OP stack": {Types: []uint8{DepositType, 0, 2, 1}, ReceiptFields: map[string]any{"l1Fee": "0x1", "l1GasPrice": "0x7", "l1FeeScalar": "0.684"}},
		"Arbitrum": {
			Types:         []uint8{0x6a, 0x64, 0x65, 0x66, 0x68, 0x69, 0},
			MoreFields:    map[string]any{"l1BlockNumber": "0x1", "sendCount": "0x2", "sendRoot": common.Hash{1}},
			ReceiptFields: map[string]any{"gasUsedForL1": "0x3", "l1BlockNumber": "0x1"},
		},
		"Polygon": {StateSync: true},
		"zkSync": {
			Types: []uint8{0xff, 0x71, 0}, NoRoots: true,
			ExtraFields:   map[string]any{"l1BatchNumber": "0x1", "l1BatchTimestamp": "0x5f5e1000", "sealFields": []any{}},
			ReceiptFields: map[string]any{"l1BatchNumber": "0x1", "l1BatchTxIndex": "0x0", "l2ToL1Logs": []any{}, "root": common.Hash{2}},
		},
		"Ethermint":       {OtherHash: true, Gaps: 1},
		"Stable":          {OtherHash: true, PerTransaction: true},
		"Tempo":           {Types: []uint8{0x76, 2}, ExtraFields: map[string]any{"timestampMillis": "0x1"}, ReceiptFields: map[string]any{"feePayer": common.Address{1}}},
		"per transaction": {PerTransaction: true},
	}
}

// index returns the first log index of the transaction after the one at a place, which begins
// at index and has this many logs.
func (s *Shape) index(place int, index uint, logs int) uint {
	switch {
	case s.PerTransaction, s.RestartAt > 0 && s.RestartAt == place+1:
		return 0
	case logs == 0:
		return index + s.Gaps
	default:
		return index + uint(logs)
	}
}

// receiptType returns the type of the transaction at an index in its block.
func (s *Shape) receiptType(place int) uint8 {
	if len(s.Types) == 0 {
		return uint8(place % 3)
	}
	return s.Types[place%len(s.Types)]
}

// noBlooms reports whether a block has no bloom filters.
func (s *Shape) noBlooms(number *big.Int) bool {
	return s.NoBloomsFrom > 0 && number.Uint64() >= s.NoBloomsFrom
}

// seal changes a header that otherwise has Ethereum's fields.
func (s *Shape) seal(header *types.Header, receipts types.Receipts) {
	if s.LastBloom && len(receipts) > 0 {
		header.Bloom = receipts[len(receipts)-1].Bloom
	}
	if s.ZeroBlooms || s.noBlooms(header.Number) {
		header.Bloom = types.Bloom{}
	}
	if s.StateSync && !s.Unsealed {
		header.Extra = append(header.Extra, make([]byte, crypto.SignatureLength)...)
	}
	if s.NoRoots {
		header.ReceiptHash, header.Bloom = common.Hash{}, types.Bloom{}
	}
}

// hash returns the hash of a header.
func (s *Shape) hash(header *types.Header) common.Hash {
	hash := header.Hash()
	if s.noBlooms(header.Number) {
		hash = withoutBloom(header)
	}
	if s.OtherHash || len(s.ExtraFields) > 0 {
		return crypto.Keccak256Hash([]byte("of another form"), hash[:])
	}
	return hash
}

// withoutBloom returns the hash of a header with an empty string instead of its bloom filter.
func withoutBloom(header *types.Header) common.Hash {
	var fields []rlp.RawValue
	encoded, err := rlp.EncodeToBytes(header)
	if err == nil {
		err = rlp.DecodeBytes(encoded, &fields)
	}
	for i, field := range fields {
		if len(field) > types.BloomByteLength {
			fields[i] = rlp.EmptyString
		}
	}
	if err == nil {
		encoded, err = rlp.EncodeToBytes(fields)
	}
	if err != nil {
		panic(err)
	}
	return crypto.Keccak256Hash(encoded)
}

// trieList encodes receipts for the receipts trie.
type trieList struct {
	types.Receipts
	noBlooms bool
}

// EncodeIndex implements [types.DerivableList].
func (t trieList) EncodeIndex(i int, w *bytes.Buffer) {
	r := t.Receipts[i]
	bloom := r.Bloom[:]
	if t.noBlooms {
		bloom = nil
	}
	fields := []any{[]byte{byte(r.Status)}, r.CumulativeGasUsed, bloom, r.Logs}
	if r.Type == DepositType && hasVersion(r) {
		fields = append(fields, depositNonce, uint64(1))
	}
	if r.Type == CeloType {
		fields = append(fields, celoBaseFee)
	}
	if r.Type != types.LegacyTxType {
		w.WriteByte(r.Type)
	}
	if err := rlp.Encode(w, fields); err != nil {
		panic(err)
	}
}

const depositNonce = uint64(77)

// hasVersion reports whether a deposit receipt has the form since Canyon.
func hasVersion(deposit *types.Receipt) bool { return deposit.BlockNumber.Uint64()%2 == 0 }

// receiptText returns a receipt with its logs as JSON.
func (s *Shape) receiptText(receipt *types.Receipt, logs []json.RawMessage) json.RawMessage {
	bare := *receipt
	bare.Logs = nil
	return fields(&bare, func(f map[string]any) {
		f["type"], f["logs"] = hexutil.Uint64(receipt.Type), append([]json.RawMessage{}, logs...)
		maps.Copy(f, s.ReceiptFields)
		if s.noBlooms(receipt.BlockNumber) {
			f["logsBloom"] = "0x"
		}
		if receipt.Type == CeloType {
			f["baseFee"] = (*hexutil.Big)(celoBaseFee)
		}
		if receipt.Type == DepositType {
			f["depositNonce"] = hexutil.Uint64(depositNonce)
			if hasVersion(receipt) {
				f["depositReceiptVersion"] = "0x1"
			}
		}
	})
}

// headerText returns a header as JSON.
func (s *Shape) headerText(header *types.Header, txs []common.Hash) json.RawMessage {
	return fields(header, func(f map[string]any) {
		f["transactions"] = txs
		f["uncles"], f["withdrawals"] = []any{}, []any{}
		f["size"] = hexutil.Uint64(1000)
		f["hash"] = s.hash(header)
		if s.noBlooms(header.Number) {
			f["logsBloom"] = "0x"
		}
		maps.Copy(f, s.ExtraFields)
		maps.Copy(f, s.MoreFields)
	})
}

// stateSync returns the receipt of the transaction that [Shape.StateSync] adds to a block.
func stateSync(number *big.Int, block common.Hash, time uint64, place int, index uint) *types.Receipt {
	hash := crypto.Keccak256Hash(binary.BigEndian.AppendUint64([]byte("matic-bor-receipt-"), number.Uint64()), block[:])
	receipt := &types.Receipt{
		Status: types.ReceiptStatusSuccessful, TxHash: hash, TransactionIndex: uint(place), BlockNumber: number, EffectiveGasPrice: new(big.Int),
	}
	// The log is an ERC-721 mint, so that an indexer must not miss it.
	receipt.Logs = []*types.Log{{
		Address: common.Address{0x10, 0x01}, Topics: []common.Hash{common.Hash(evm.TopicTransfer.Hash()), {}, {31: 1}, common.BigToHash(number)}, Data: []byte{},
		BlockNumber: number.Uint64(), TxHash: hash, TxIndex: uint(place), Index: index, BlockTimestamp: time,
	}}
	receipt.Bloom = types.CreateBloom(receipt)
	return receipt
}
