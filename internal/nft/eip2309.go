package nft

import (
	"math"
	"math/bits"

	"mintburn/internal/evm"
)

// DefaultRangeCap is the maximum number of ids in a ConsecutiveTransfer for a [Decoder]
// whose RangeCap is 0.
const DefaultRangeCap = 10_000

// rangesPerBlock times the cap is the maximum number of ids in all ranges of a block. A
// range costs its sender about 2,000 gas whatever its length, so without a bound one
// block could become hundreds of millions of records.
const rangesPerBlock = 100

// parseConsecutiveTransfer parses ConsecutiveTransfer(uint256 indexed
// fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed
// toAddress) of EIP-2309. Both ids are inclusive. Data after the first word is ignored.
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

// blockCap returns the maximum number of ids in all ranges of a block.
func (d *Decoder) blockCap() uint64 {
	high, product := bits.Mul64(d.rangeCap(), rangesPerBlock)
	if high > 0 {
		return math.MaxUint64
	}
	return product
}

// spend returns the number of records in t and, for a range, subtracts it from left. If t
// exceeds a cap, it returns the reason. Single ids are not limited, because there are no
// more of them than logs.
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
