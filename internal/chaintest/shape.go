package chaintest

import (
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
)

// Shape is how blocks of a [Node] differ from those of Ethereum, as blocks of real
// chains do. The zero value is Ethereum.
type Shape struct {
	// PerTransaction has log indices that begin at 0 in each transaction.
	PerTransaction bool
	// Gaps has each transaction without logs use up this many log indices, as failed
	// transactions do on some Ethermint chains.
	Gaps uint
	// OtherHash has headers of Ethereum's form whose hash is not that of their
	// fields, as on Ethermint chains.
	OtherHash bool
	// ExtraFields are added to headers, and are part of the hash.
	ExtraFields map[string]any
	// StateSync adds to each block with transactions one more that has a log, and
	// that neither the receipts root nor the bloom filter covers, as Polygon does.
	StateSync bool
}

// index returns the first log index of the next transaction, after one with so
// many logs.
func (s *Shape) index(index uint, logs int) uint {
	switch {
	case s.PerTransaction:
		return 0
	case logs == 0:
		return index + s.Gaps
	default:
		return index + uint(logs)
	}
}

// hash returns the hash of a header.
func (s *Shape) hash(header *types.Header) common.Hash {
	hash := header.Hash()
	if s.OtherHash || len(s.ExtraFields) > 0 {
		return crypto.Keccak256Hash([]byte("of another form"), hash[:])
	}
	return hash
}

// stateSync returns the receipt of a transaction that the node adds to a block.
func stateSync(hash common.Hash, number *big.Int, time uint64, place int, index uint) *types.Receipt {
	receipt := &types.Receipt{
		Status: types.ReceiptStatusSuccessful, TxHash: hash, TransactionIndex: uint(place), BlockNumber: number, EffectiveGasPrice: new(big.Int),
	}
	// An ERC-721 mint, so that it matters.
	receipt.Logs = []*types.Log{{
		Address: common.Address{0x10, 0x01}, Topics: []common.Hash{common.Hash(evm.TopicTransfer.Hash()), {}, {31: 1}, common.BigToHash(number)}, Data: []byte{},
		BlockNumber: number.Uint64(), TxHash: hash, TxIndex: uint(place), Index: index, BlockTimestamp: time,
	}}
	receipt.Bloom = types.CreateBloom(receipt)
	return receipt
}

// headerText returns a header as a node gives it.
func (s *Shape) headerText(header *types.Header, txs []common.Hash) json.RawMessage {
	return fields(headerText(header, txs), func(f map[string]any) {
		f["hash"] = s.hash(header)
		for name, value := range s.ExtraFields {
			f[name] = value
		}
	})
}
