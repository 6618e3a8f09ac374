package nft

import "mintburn/internal/evm"

// DefaultRangeCap is the largest number of ids of one ConsecutiveTransfer that
// a [Decoder] whose RangeCap is 0 expands.
const DefaultRangeCap = 10_000

// parseConsecutiveTransfer reads ConsecutiveTransfer(uint256 indexed
// fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed
// toAddress) of EIP-2309; both ids are inclusive. What follows the first word
// of data is ignored.
func parseConsecutiveTransfer(log *evm.Log) (t transfer, reason string) {
	if len(log.Topics) != 4 {
		return t, ReasonTopics
	}
	var ok1, ok2 bool
	t.from, ok1 = addressOf(log.Topics[2])
	t.to, ok2 = addressOf(log.Topics[3])
	if !ok1 || !ok2 {
		return t, ReasonDirtyAddress
	}
	if len(log.Data) < wordSize {
		return t, ReasonOutside
	}
	t.contractType = ERC721
	t.first = evm.Uint256FromWord(log.Topics[1])
	t.last = evm.Uint256FromWord(wordAt(log.Data, 0))
	if t.last.Cmp(t.first) < 0 {
		return t, ReasonRange
	}
	return t, ""
}
