package nft

import (
	"slices"

	"mintburn/internal/evm"
)

// transfer is a valid transfer event.
type transfer struct {
	contractType       ContractType
	operator, from, to evm.Address
	// ids and values hold the elements, 32 bytes each, of two uint256 arrays of equal
	// length. They are slices of the log's data. Only for ERC-1155.
	ids, values []byte
	// first and last are the inclusive range of the ids, one token each; last is not
	// less than first. Only for ERC-721.
	first, last evm.Uint256
}

// count returns the number of records in t, and whether it fits into 64 bits.
func (t *transfer) count() (n uint64, fits bool) {
	if t.contractType == ERC1155 {
		return uint64(len(t.ids) / wordSize), true
	}
	// The range 0..2^256-1 has 2^256 ids, which overflow 256 bits, so 1 is added only
	// after the conversion to 64 bits.
	distance, fits := t.last.Minus(t.first).Uint64()
	return distance + 1, fits && distance+1 != 0
}

// appendRecords appends one copy of base for each of the n ids of t. n must be
// t.count() and fit into 32 bits.
func (t *transfer) appendRecords(records []Record, base Record, n uint64) []Record {
	records = slices.Grow(records, int(n))
	if t.contractType == ERC1155 {
		for i := range int(n) {
			base.SubIndex = uint32(i)
			base.TokenID = evm.Uint256FromWord(wordAt(t.ids, i*wordSize))
			base.Amount = evm.Uint256FromWord(wordAt(t.values, i*wordSize))
			records = append(records, base)
		}
		return records
	}
	base.TokenID, base.Amount = t.first, evm.NewUint256(1)
	for i := range uint32(n) {
		base.SubIndex = i
		records = append(records, base)
		// This overflows only after the last id.
		base.TokenID, _ = base.TokenID.Plus(1)
	}
	return records
}
