package wire

import (
	"slices"

	"mintburn/internal/evm"
)

// Arrange returns the receipts of the listed transactions, in order, each with the type of
// its transaction if it has none itself. It drops repeated receipts and those of other
// transactions. missing are the indices of the transactions without a receipt, whose
// receipts in the result are zero.
func Arrange(receipts []Receipt, txs []Transaction) (list []Receipt, missing []int) {
	if !slices.EqualFunc(receipts, txs, func(r Receipt, tx Transaction) bool { return r.TxHash == tx.Hash }) {
		of := make(map[evm.Hash]int, len(receipts))
		for i := range slices.Backward(receipts) {
			of[receipts[i].TxHash] = i
		}
		list = make([]Receipt, len(txs))
		for i, tx := range txs {
			if at, ok := of[tx.Hash]; ok {
				list[i] = receipts[at]
			} else {
				missing = append(missing, i)
			}
		}
		receipts = list
	}
	for i := range receipts {
		if r := &receipts[i]; !r.HasType && txs[i].HasType {
			r.Type, r.HasType = uint64(txs[i].Type), true
		}
	}
	return receipts, missing
}

// LogsOf returns the logs of receipts in order, which is chain order, and sets their
// transaction indices.
func LogsOf(receipts []Receipt) []evm.Log {
	n := 0
	for i := range receipts {
		n += len(receipts[i].Logs)
	}
	logs := make([]evm.Log, 0, n)
	for i := range receipts {
		for k := range receipts[i].Logs {
			receipts[i].Logs[k].TxIndex = evm.TxIndex{N: uint32(i), Known: true}
		}
		logs = append(logs, receipts[i].Logs...)
	}
	return logs
}

// NumberByPlace sets the index of each log, given all logs of a block in chain order, to its
// place.
func NumberByPlace(logs []evm.Log) {
	for i := range logs {
		logs[i].Index = uint32(i)
	}
}

// NumberTransactions sets the transaction index of each log to the place of its transaction
// among those that the block lists. If the list lacks it, the index is unknown if it is that of
// another one.
func NumberTransactions(logs []evm.Log, txs []Transaction) {
	places := make(map[evm.Hash]uint32, len(txs))
	for i, tx := range txs {
		places[tx.Hash] = uint32(i)
	}
	for i := range logs {
		log := &logs[i]
		if place, listed := places[log.TxHash]; listed {
			log.TxIndex = evm.TxIndex{N: place, Known: true}
		} else if int64(log.TxIndex.N) < int64(len(txs)) {
			log.TxIndex = evm.TxIndex{}
		}
	}
}
