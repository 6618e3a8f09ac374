package evm

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// BlockNumberOrHash identifies a block by number or, if Hash is not nil, by hash or, if
// Tag is not empty, by its state. Its text form is a decimal number, a 0x-hex quantity,
// 0x and 64 hex digits, or a tag.
type BlockNumberOrHash struct {
	// Number is the block's height. It is ignored if Hash or Tag is set.
	Number Long
	// Hash is the block's hash, or nil.
	Hash *Hash
	// Tag is [Latest], [Finalized], [Earliest] or empty.
	Tag string
}

// The tags that name blocks.
const (
	Latest    = "latest"    // the last indexed block
	Finalized = "finalized" // the finalized block
	Earliest  = "earliest"  // block 0
)

// ParseBlockNumberOrHash parses a decimal number, a 0x-hex quantity (both at most
// [MaxLong]), a 32-byte hash or a tag.
func ParseBlockNumberOrHash(text string) (BlockNumberOrHash, error) {
	if text == Latest || text == Finalized || text == Earliest {
		return BlockNumberOrHash{Tag: text}, nil
	}
	if len(text) == 66 && (strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")) {
		hash, err := ParseHash(text)
		if err != nil {
			return BlockNumberOrHash{}, errBlock(Excerpt(text))
		}
		return BlockNumberOrHash{Hash: &hash}, nil
	}
	number, err := ParseLong(text)
	if err != nil {
		return BlockNumberOrHash{}, errBlock(Excerpt(text))
	}
	return BlockNumberOrHash{Number: number}, nil
}

func errBlock(got string) error {
	return fmt.Errorf("got %s, want a number from 0 to 2^53-1, decimal or 0x-hex, a hash of 0x and 64 hex digits, or latest, finalized or earliest", got)
}

// String returns the text form.
func (b BlockNumberOrHash) String() string {
	switch {
	case b.Hash != nil:
		return b.Hash.String()
	case b.Tag != "":
		return b.Tag
	default:
		return b.Number.String()
	}
}

// MarshalText implements [encoding.TextMarshaler].
func (b BlockNumberOrHash) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *BlockNumberOrHash) UnmarshalText(text []byte) error {
	return set(b, ParseBlockNumberOrHash, text)
}

// MarshalGQL writes the GraphQL scalar BlockNumberOrHash, as a string.
func (b BlockNumberOrHash) MarshalGQL(w io.Writer) { write(w, []byte(`"`+b.String()+`"`)) }

// UnmarshalGQL reads the GraphQL scalar BlockNumberOrHash.
func (b *BlockNumberOrHash) UnmarshalGQL(v any) error {
	if text, ok := v.(string); ok {
		return b.UnmarshalText([]byte(text))
	}
	var number Long
	if err := number.UnmarshalGQL(v); err != nil {
		return errBlock(Describe(v))
	}
	*b = BlockNumberOrHash{Number: number}
	return nil
}

// BlockRef identifies a block on one branch of the chain.
type BlockRef struct {
	// Number is the block's height.
	Number uint64
	// Hash is the block's hash.
	Hash Hash
}

// Range is a range of blocks, inclusive at both ends.
type Range struct{ From, To uint64 }

// Join merges r into ranges, which must be in order and must not touch each other, and
// returns the result, which has the same form. It may change the elements of ranges.
func (r Range) Join(ranges []Range) []Range {
	first := 0
	for first < len(ranges) && ranges[first].To+1 < r.From {
		first++
	}
	last := first
	for last < len(ranges) && ranges[last].From <= r.To+1 {
		r = Range{From: min(r.From, ranges[last].From), To: max(r.To, ranges[last].To)}
		last++
	}
	return slices.Replace(ranges, first, last, r)
}

// Header is the stored part of a block header.
type Header struct {
	BlockRef
	// ParentHash is the hash of the block at Number-1.
	ParentHash Hash
	// Time is the block's time in Unix seconds, UTC.
	Time uint64
}

// Block is a block with some or all of its logs.
type Block struct {
	// Header is the block's header.
	Header Header
	// Logs are sorted by index, and no two have the same index. Pending and removed logs
	// come last. Topics and Data may share memory and must not be changed.
	Logs []Log
	// Transactions are some of the transactions, in order.
	Transactions []Transaction
}

// BlockProof is what the hash of a block covers of its logs.
type BlockProof struct {
	// Block is the block's header as the node returned it.
	Block Header
	// Header is the RLP of the whole header, whose hash is the block's.
	Header Bytes
	// Receipts are all receipts in order, as EIP-2718 encodes them: those of the header's receipts
	// root. They are nil if the header excludes mints and burns.
	Receipts []Bytes
}

// Size returns the number of bytes in the proof.
func (p *BlockProof) Size() int {
	n := len(p.Header)
	for _, receipt := range p.Receipts {
		n += len(receipt)
	}
	return n
}

// Log is an unchecked event log from a node.
type Log struct {
	// Address is the contract that emitted the log.
	Address Address
	// Topics holds up to four topics; the first is usually the event's
	// signature hash.
	Topics []Hash
	// Data is the ABI-encoded rest of the event.
	Data []byte
	// TxHash is the hash of the transaction.
	TxHash Hash
	// TxIndex is the transaction's index in its block.
	TxIndex TxIndex
	// Index is the log's index in its block. It has no meaning if Pending is set.
	Index uint32
	// Pending is set if the node returned no log index.
	Pending bool
	// Removed is set if a reorg orphaned the log.
	Removed bool
}

// TxIndex is the index of a transaction in its block, at most 2^31-1. The zero
// value means unknown, because not every recording contains it.
type TxIndex struct {
	N     uint32
	Known bool
}

// String returns the decimal form, or "unknown".
func (i TxIndex) String() string {
	if !i.Known {
		return "unknown"
	}
	return strconv.FormatUint(uint64(i.N), 10)
}
