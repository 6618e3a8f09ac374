package nft

import (
	"slices"

	"mintburn/internal/evm"
)

// transfer is a well-formed transfer event.
type transfer struct {
	contractType       ContractType
	operator, from, to evm.Address
	// ids and values are the elements of two uint256 arrays of equal length,
	// 32 bytes each, and are slices of the log's data. Only ERC-1155.
	ids, values []byte
	// first and last, inclusive, are the ids, one token of each; last is not
	// less than first. Only ERC-721.
	first, last evm.Uint256
}

// count returns the number of records that t would become, and whether it fits
// 64 bits.
func (t *transfer) count() (n uint64, fits bool) {
	if t.contractType == ERC1155 {
		return uint64(len(t.ids) / wordSize), true
	}
	// The 2^256 ids of 0..2^256-1 are one more than an integer of 256 bits
	// holds, so the 1 is added only to what is known to be small.
	distance, fits := t.last.Minus(t.first).Uint64()
	return distance + 1, fits && distance+1 != 0
}

// appendRecords appends one copy of base for each of the n ids of t, n being
// t.count(), which must fit 32 bits.
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
		// It wraps only after the last id.
		base.TokenID, _ = base.TokenID.Plus(1)
	}
	return records
}
