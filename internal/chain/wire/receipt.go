package wire

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"mintburn/internal/evm"
)

// Receipt contains the fields of a receipt that the receipts trie covers, and the hash of
// its transaction.
type Receipt struct {
	// TxHash is the transaction's hash, zero if the receipt names none.
	TxHash evm.Hash
	// Type is the transaction's type, 0 for one before EIP-2718. HasType is false if the
	// receipt has none.
	Type    uint64
	HasType bool
	// Logs are set by [Logs.All].
	Logs []evm.Log

	// outcome is the state root (before Byzantium) or the status.
	outcome []byte
	gasUsed uint64 // cumulative
	// bloom is the filter that the receipts trie contains. It is computed if it is missing.
	bloom *types.Bloom
	// deposit is the nonce and the version of an OP stack deposit.
	deposit [2]uint64
	// baseFee is that of a CIP-64 transaction in its currency, nil if the receipt has none.
	baseFee *big.Int
	// count is the number of logs.
	count int
	// costs is nil unless [Logs.Costs] was set.
	costs costs
	// hasOutcome and hasGasUsed report which fields are present; mined reports whether all
	// logs are part of the block.
	hasOutcome, hasGasUsed, mined bool
	// odd is the error of the first missing or malformed value that no record needs.
	odd error
}

// ReadReceipts reads an array of receipts.
func (l *Logs) ReadReceipts(r *Reader) error {
	return r.Array("receipt", func(int) error { return l.ReadReceipt(r) })
}

// ReadReceipt reads a receipt with its logs. It fails for a malformed value only if a record
// needs it, see [Logs.ReadLog]; others make the receipt not [Receipt.Complete].
func (l *Logs) ReadReceipt(r *Reader) error {
	receipt, claim, first := Receipt{mined: true}, Claim{}, len(l.logs)
	l.inReceipt = true
	defer func() { l.inReceipt = false }()
	fields := Fields{
		Required: []string{"logs"},
		Optional: []string{
			"transactionHash", "blockHash", "blockNumber", "type", "status", "root", "cumulativeGasUsed", "logsBloom",
			"depositNonce", "depositReceiptVersion", "baseFee",
		},
	}
	if l.Costs {
		fields.Optional, receipt.costs = append(fields.Optional, costFields...), costs{}
	}
	err := r.Object(fields, func(name string) error {
		if name == "logs" && r.json.PeekKind() != 'n' {
			return l.ReadLogs(r)
		}
		raw, err := r.Value()
		if err != nil || IsNull(raw) {
			return err
		}
		switch name {
		case "transactionHash":
			return receipt.TxHash.UnmarshalJSON(raw)
		case "blockHash", "blockNumber":
			return claim.read(name, raw)
		}
		if receipt.costs != nil && slices.Contains(costFields, name) {
			return receipt.costs.read(name, raw)
		}
		if err := receipt.read(name, raw); err != nil && receipt.odd == nil {
			receipt.odd = fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	receipt.count = len(l.logs) - first
	for i := range l.logs[first:] {
		log, end := &l.logs[first+i], &l.ends[first+i]
		receipt.mined = receipt.mined && InBlock(log)
		switch {
		case !InBlock(log):
		case log.TxHash == evm.Hash{}:
			log.TxHash = receipt.TxHash
		case receipt.TxHash != evm.Hash{} && log.TxHash != receipt.TxHash:
			return fmt.Errorf("log %d: transactionHash %s is not the receipt's %s", i, log.TxHash, receipt.TxHash)
		}
		if end.odd != nil && receipt.odd == nil {
			receipt.odd = fmt.Errorf("log %d: %s: %w", i, end.field, end.odd)
		}
	}
	l.Receipts = append(l.Receipts, receipt)
	return l.Claim.join(claim)
}

// read reads one of the fields that the receipts trie covers.
func (receipt *Receipt) read(name string, raw []byte) (err error) {
	switch name {
	case "type":
		receipt.Type, err = Quantity(raw, math.MaxUint8)
		receipt.HasType = err == nil
	case "status":
		var status uint64
		// Some nodes return a boolean.
		if raw[0] == 't' {
			status = 1
		} else if raw[0] != 'f' {
			status, err = Quantity(raw, 1)
		}
		if status == 1 {
			receipt.outcome = []byte{1}
		}
		receipt.hasOutcome = true
	case "root":
		// A node may return an empty root in addition to the status.
		if string(raw) == `"0x"` {
			return nil
		}
		var root evm.Hash
		err = root.UnmarshalJSON(raw)
		receipt.outcome, receipt.hasOutcome = root[:], true
	case "cumulativeGasUsed":
		receipt.gasUsed, err = Quantity(raw, math.MaxUint64)
		receipt.hasGasUsed = true
	case "logsBloom":
		receipt.bloom = decodeBloom(raw)
	case "depositNonce":
		receipt.deposit[0], err = Quantity(raw, math.MaxUint64)
	case "depositReceiptVersion":
		receipt.deposit[1], err = Quantity(raw, math.MaxUint64)
	case "baseFee":
		var fee evm.Uint256
		err = fee.UnmarshalJSON(raw)
		receipt.baseFee = (*uint256.Int)(&fee).ToBig()
	}
	return err
}

// Complete reports whether the receipt has all fields that the receipts trie covers, in
// Ethereum's form.
func (receipt *Receipt) Complete() bool {
	return receipt.Check() == nil && receipt.odd == nil && receipt.hasOutcome && receipt.hasGasUsed
}

// Odd returns the error of the first missing or malformed value that no record needs, or
// nil. The receipts root may differ because of it.
func (receipt *Receipt) Odd() error { return receipt.odd }

// Check fails if the receipt of a mined block names no transaction, or has a log that is
// not part of the block.
func (receipt *Receipt) Check() error {
	switch {
	case receipt.TxHash == evm.Hash{}:
		return errors.New("no transactionHash")
	case !receipt.mined:
		return errors.New("a log is pending or removed")
	default:
		return nil
	}
}
