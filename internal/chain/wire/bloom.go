package wire

import (
	"fmt"

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

// decodeBloom reads a JSON string of 0x and 512 hex digits.
func decodeBloom(bloom *types.Bloom, raw []byte) error {
	data, err := AppendData(bloom[:0], raw)
	if err == nil && len(data) != len(bloom) {
		err = fmt.Errorf("invalid value %s: want 0x and %d hex digits", excerpt(raw), 2*len(bloom))
	}
	return err
}
