package recording

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// complete checks that there is one receipt per transaction, in order. It checks nothing
// if the line does not list the transactions.
func complete(h *wire.Header, receipts []wire.Receipt) error {
	hashes, err := h.Transactions()
	if hashes == nil || err != nil {
		return nil
	}
	if len(hashes) != len(receipts) {
		return fmt.Errorf("receipts of %d of %d transactions", len(receipts), len(hashes))
	}
	for i := range receipts {
		if receipts[i].TxHash != hashes[i] {
			return fmt.Errorf("receipt %d is of transaction %s, the block has %s", i, receipts[i].TxHash, hashes[i])
		}
	}
	return nil
}

// prove reports whether a line proves its block complete: the header's hash is the hash
// of its fields, and its receipts root the root of the receipts, which contain logs. It
// returns false if the line lacks a part of the header or of the receipts. It fails if
// the hash matches, but the receipts contradict the header.
func prove(h *wire.Header, hash evm.Hash, receipts []wire.Receipt, logs []evm.Log) (bool, error) {
	if slices.ContainsFunc(receipts, func(r wire.Receipt) bool { return !r.Complete() }) {
		return false, nil
	}
	header, err := h.Ethereum()
	if err != nil || evm.Hash(header.Hash()) != hash {
		return false, nil
	}
	if err := complete(h, receipts); err != nil {
		return false, err
	}
	if inBlock, inTx := wire.InOrder(logs); !inBlock && !inTx {
		return false, errors.New("the logs of the receipts are not in order")
	}
	want := evm.Hash(header.ReceiptHash)
	if root := wire.ReceiptsRoot(receipts); root != want {
		if wire.HasStateSync(receipts, header) || slices.ContainsFunc(receipts, func(r wire.Receipt) bool { return !r.Known() }) {
			return false, nil
		}
		return false, fmt.Errorf("the root of the receipts is %s, the header has %s", root, want)
	}
	if header.Bloom != (types.Bloom{}) && wire.Bloom(logs) != header.Bloom {
		return false, errors.New("the bloom filter does not match the logs")
	}
	return true, nil
}
