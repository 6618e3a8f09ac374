package nft

import "mintburn/internal/evm"

// parseTransfer parses Transfer(address indexed, address indexed, uint256
// indexed) of ERC-721, whose data is ignored. known is false for any other number of
// topics, which belong to other standards (three topics: ERC-20), except for one topic
// from a contract in [Decoder.Unindexed].
func (d *Decoder) parseTransfer(log *evm.Log) (t transfer, known bool, reason string) {
	var from, to, id [wordSize]byte
	switch {
	case len(log.Topics) == 4:
		from, to, id = log.Topics[1], log.Topics[2], log.Topics[3]
	case len(log.Topics) == 1 && d.Unindexed[log.Address]:
		if len(log.Data) < 3*wordSize {
			return t, true, ReasonOutside
		}
		from, to, id = wordAt(log.Data, 0), wordAt(log.Data, wordSize), wordAt(log.Data, 2*wordSize)
	default:
		return t, false, ""
	}
	t.contractType = ERC721
	t.first = evm.Uint256FromWord(id)
	t.last = t.first
	if !t.parties(from, to) {
		return t, true, ReasonDirtyAddress
	}
	return t, true, ""
}
