package wire

import (
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/evm"
)

// Bloom returns the bloom filter of the addresses and topics of logs (Yellow Paper,
// section 4.3.1).
func Bloom(logs []evm.Log) (bloom types.Bloom) {
	for i := range logs {
		bloom.Add(logs[i].Address[:])
		for j := range logs[i].Topics {
			bloom.Add(logs[i].Topics[j][:])
		}
	}
	return bloom
}

// MayHold reports whether a bloom filter allows a log.
func MayHold(bloom *types.Bloom, log *evm.Log) bool {
	if !bloom.Test(log.Address[:]) {
		return false
	}
	for i := range log.Topics {
		if !bloom.Test(log.Topics[i][:]) {
			return false
		}
	}
	return true
}

// decodeBloom returns the bloom filter in a JSON string of 0x and 512 hex digits. It returns
// nil for any other value, such as 0x of a chain that keeps no filters.
func decodeBloom(raw []byte) *types.Bloom {
	bloom := new(types.Bloom)
	if data, err := AppendData(bloom[:0], raw); err != nil || len(data) != len(bloom) {
		return nil
	}
	return bloom
}
