package wire

import (
	"slices"

	"mintburn/internal/evm"
)

// SelfNumbered reports whether the indices of some logs of a block, given in chain
// order, are right without the other logs of the block. Those of the first transaction
// are, in either numbering.
func SelfNumbered(logs []evm.Log, by evm.Numbering) bool {
	for i := range logs {
		first := logs[i].TxIndex == evm.TxIndex{Known: true}
		if by == evm.NumberingTransaction || by == evm.NumberingUnknown && !first || i > 0 && logs[i].Index <= logs[i-1].Index {
			return false
		}
	}
	return true
}

// Unnumbered returns copies of logs without their indices.
func Unnumbered(logs []evm.Log) []evm.Log {
	logs = slices.Clone(logs)
	for i := range logs {
		logs[i].Index = 0
	}
	return logs
}

// EqualLogs compares two logs. A log that is not decoded may lack its transaction in a.
func EqualLogs(a, b evm.Log) bool {
	return a.Address == b.Address && (a.TxHash == b.TxHash || a.TxHash == evm.Hash{}) && a.Index == b.Index &&
		slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Data, b.Data)
}

// EqualLogLists reports whether two lists contain the same logs in the same order.
func EqualLogLists(a, b []evm.Log) bool { return slices.EqualFunc(a, b, EqualLogs) }

// LeavesOut reports whether list is a subsequence of all, which must differ from it.
func LeavesOut(list, all []evm.Log) bool {
	for _, log := range all {
		if len(list) > 0 && EqualLogs(list[0], log) {
			list = list[1:]
		}
	}
	return len(list) == 0
}
