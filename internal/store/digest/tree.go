package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Group is the number of blocks that a stored digest covers, at least, and of the digests that make one of the next level.
const Group = 1 << bits

// Levels is the highest stored level. Blocks are level 0.
const Levels = 4

const (
	// bits is the binary logarithm of how many digests of a level one of the next level covers.
	bits = 6
	// top is the level of the digest of all blocks.
	top = 6
)

// kinds are the kinds of records, each with digests of its own.
var kinds = []nft.Kind{nft.Mint, nft.Burn}

// tree computes digests from records, or from digests of lower levels, in chain order.
type tree struct {
	open [top + 1]node
	// closed, if not nil, is called with each digest below the top.
	closed func(level int, number uint64, digest []byte)
	line   []byte
}

// node is the digest that is being computed at a level.
type node struct {
	hash.Hash
	number uint64
	some   bool
}

func newTree(closed func(level int, number uint64, digest []byte)) *tree {
	t := &tree{closed: closed}
	for level := range t.open {
		t.open[level].Hash = sha256.New()
	}
	return t
}

// at returns the node with a number at a level. The nodes before it end.
func (t *tree) at(level int, number uint64) *node {
	for below := range level + 1 {
		if n := &t.open[below]; n.some && (below < level || n.number != number) {
			t.end(below)
		}
	}
	t.open[level].number, t.open[level].some = number, true
	return &t.open[level]
}

// end adds the digest of the node of a level to the next level.
func (t *tree) end(level int) {
	n := &t.open[level]
	digest := n.Sum(nil)
	n.Reset()
	n.some = false
	if t.closed != nil {
		t.closed(level, n.number, digest)
	}
	t.add(level, n.number, digest)
}

// add adds a digest below the top.
func (t *tree) add(level int, number uint64, digest []byte) {
	into := t.at(level+1, number>>bits)
	t.line = append(strconv.AppendUint(t.line[:0], number, 10), ',')
	t.line = append(hex.AppendEncode(t.line, digest), '\n')
	_, _ = into.Write(t.line)
}

// record adds a record of a block with a time.
func (t *tree) record(r *nft.Record, block evm.BlockRef, time uint64) {
	into := t.at(0, block.Number)
	t.line = appendLine(t.line[:0], r, block, time)
	_, _ = into.Write(t.line)
}

// all ends the tree and returns the digest of all that was added, the SHA-256 of nothing if nothing was.
func (t *tree) all() evm.Hash { return evm.Hash(t.at(top, 0).Sum(nil)) }

// appendLine appends the line of a record: its documented fields and sub_index in the form of an
// export as CSV. Unlike that, it never changes.
func appendLine(b []byte, r *nft.Record, block evm.BlockRef, time uint64) []byte {
	number := func(n uint64) { b = append(strconv.AppendUint(b, n, 10), ',') }
	b = append(append(append(r.Contract.Append(b), ','), r.Type...), ',')
	b = append(r.TokenID.Append(b), ',')
	b = append(block.Hash.Append(b), ',')
	number(block.Number)
	b = append(r.TxHash.Append(b), ',')
	number(uint64(r.LogIndex))
	b = append(r.From.Append(b), ',')
	b = append(r.To.Append(b), ',')
	b = append(r.Amount.Append(b), ',')
	if r.Type == nft.ERC1155 {
		b = r.Operator.Append(b)
	}
	b = append(b, ',')
	number(time)
	number(time)
	return append(strconv.AppendUint(b, uint64(r.SubIndex), 10), '\n')
}
