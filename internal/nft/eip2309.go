package nft

import (
	"math"
	"math/bits"

	"mintburn/internal/evm"
)

// DefaultRangeCap is the largest number of ids of one ConsecutiveTransfer that
// a [Decoder] whose RangeCap is 0 expands.
const DefaultRangeCap = 10_000

// rangesPerBlock times the cap is how many ids the ranges of a block may have. A
// range costs its sender about 2,000 gas at any length: without a bound, one
// block could become hundreds of millions of records.
const rangesPerBlock = 100

// parseConsecutiveTransfer reads ConsecutiveTransfer(uint256 indexed
// fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed
// toAddress) of EIP-2309; both ids are inclusive. What follows the first word
// of data is ignored.
func parseConsecutiveTransfer(log *evm.Log) (t transfer, reason string) {
	if len(log.Topics) != 4 {
		return t, ReasonTopics
	}
	if !t.parties(log.Topics[2], log.Topics[3]) {
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

func (d *Decoder) rangeCap() uint64 {
	if d.RangeCap == 0 {
		return DefaultRangeCap
	}
	return d.RangeCap
}

// blockCap returns the largest number of ids of all ranges of a block.
func (d *Decoder) blockCap() uint64 {
	high, product := bits.Mul64(d.rangeCap(), rangesPerBlock)
	if high > 0 {
		return math.MaxUint64
	}
	return product
}

// spend returns the number of records that t becomes, and subtracts those of a
// range from left; or why t is rejected. Single ids are not limited, because
// there are no more of them than logs.
func (d *Decoder) spend(t *transfer, left *uint64) (n uint64, reason string) {
	n, fits := t.count()
	switch {
	case t.contractType == ERC1155:
		return n, ""
	case !fits || n > d.rangeCap():
		return 0, ReasonCap
	case n == 1:
		return n, ""
	case n > *left:
		return 0, ReasonBlockCap
	}
	*left -= n
	return n, ""
}
