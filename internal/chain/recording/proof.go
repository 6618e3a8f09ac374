package recording

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// errUnlisted means that a line does not list the block's transactions.
var errUnlisted = errors.New("the block does not list its transactions")

// arrange returns the receipts in the order of the block's transactions, see
// [wire.Arrange]. It fails, with the receipts unchanged, if a transaction has no receipt,
// or with [errUnlisted].
func arrange(h *wire.Header, receipts []wire.Receipt) ([]wire.Receipt, error) {
	txs, err := h.Transactions()
	if txs == nil || err != nil {
		return receipts, errUnlisted
	}
	list, missing := wire.Arrange(receipts, txs)
	if len(missing) > 0 {
		return receipts, fmt.Errorf("receipts of %d of %d transactions: that of %s is missing", len(txs)-len(missing), len(txs), txs[missing[0]].Hash)
	}
	return list, nil
}

// prove reports whether a line proves its block complete: the header's hash is the hash
// of its fields, and its receipts root the root of the receipts, which contain logs. It
// returns false if the line lacks a part of the header or of the receipts. It fails if
// the hash matches, but the receipts contradict the header or are incomplete. ordered
// reports whether the header proves the order of the logs, except those of a state sync.
func prove(h *wire.Header, block evm.BlockRef, receipts []wire.Receipt, logs []evm.Log, incomplete error) (proven, ordered bool, err error) {
	header, hash, err := h.Ethereum()
	if err != nil || hash != block.Hash || slices.ContainsFunc(receipts, func(r wire.Receipt) bool { return r.Check() != nil }) {
		return false, false, nil
	}
	if incomplete != nil && !errors.Is(incomplete, errUnlisted) {
		return false, false, incomplete
	}
	want := evm.Hash(header.ReceiptHash)
	if root := wire.ReceiptsRoot(receipts, h.Bloom() == nil); root != want {
		odd := func(r wire.Receipt) bool { return !r.Complete() || !r.Known() || !r.HasType }
		if sync := wire.HasStateSync(receipts, header, block); sync || slices.ContainsFunc(receipts, odd) {
			return false, sync, nil
		}
		return false, false, fmt.Errorf("the root of the receipts is %s, the header has %s", root, want)
	}
	if header.Bloom != (types.Bloom{}) && wire.Bloom(logs) != header.Bloom {
		return false, false, errors.New("the bloom filter does not match the logs")
	}
	return true, true, nil
}
