package chain

import (
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// bloom is the filter in a header over the addresses and topics of a block's
// logs (Yellow Paper, section 4.3.1).
type bloom types.Bloom

func (b *bloom) has(value []byte) bool { return types.Bloom(*b).Test(value) }

// hasLog reports whether the filter allows a log.
func (b *bloom) hasLog(log *evm.Log) bool {
	if !b.has(log.Address[:]) {
		return false
	}
	for i := range log.Topics {
		if !b.has(log.Topics[i][:]) {
			return false
		}
	}
	return true
}

// add adds logs.
func (b *bloom) add(logs []evm.Log) {
	for i := range logs {
		(*types.Bloom)(b).Add(logs[i].Address[:])
		for j := range logs[i].Topics {
			(*types.Bloom)(b).Add(logs[i].Topics[j][:])
		}
	}
}
