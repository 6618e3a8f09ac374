package counter

import (
	"bytes"
	"context"
	"encoding/binary"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Filter selects the records of one scope. Fields that are nil do not filter. Valid
// combinations are none, Contract, Account, both, and Contract with Token.
type Filter struct {
	Kind nft.Kind
	// Account received a mint or sent a burn.
	Account *evm.Address
	// Contract is the number of a collection, and Token one of its tokens.
	Contract *int64
	Token    *evm.Uint256
}

// Scope is the encoding of a filter in the database: the kind, the sort of filter, and
// its values.
type Scope []byte

// The sorts of filters.
const (
	sortAll             = '*'
	sortContract        = 'c'
	sortAccount         = 'a'
	sortAccountContract = 'b'
	sortToken           = 't'
)

func (f Filter) sort() byte {
	switch {
	case f.Token != nil:
		return sortToken
	case f.Account != nil && f.Contract != nil:
		return sortAccountContract
	case f.Account != nil:
		return sortAccount
	case f.Contract != nil:
		return sortContract
	}
	return sortAll
}

// Scope returns the encoding of f.
func (f Filter) Scope() Scope {
	s := append(make(Scope, 0, 2+20+8+33), byte(f.Kind), f.sort())
	if f.Account != nil {
		s = append(s, f.Account[:]...)
	}
	if f.Contract != nil {
		s = binary.BigEndian.AppendUint64(s, uint64(*f.Contract))
	}
	if f.Token != nil {
		s = append(s, f.Token.Bytes()...)
	}
	return s
}

// Filter is the inverse of [Filter.Scope]. It returns false if s encodes no filter.
func (s Scope) Filter() (f Filter, ok bool) {
	if len(s) < 2 || s[0] > byte(nft.Burn) || bytes.IndexByte([]byte{sortAll, sortContract, sortAccount, sortAccountContract, sortToken}, s[1]) < 0 {
		return f, false
	}
	f.Kind = nft.Kind(s[0])
	sort, rest := s[1], s[2:]
	if sort == sortAccount || sort == sortAccountContract {
		if len(rest) < 20 {
			return f, false
		}
		account := evm.Address(rest[:20])
		f.Account, rest = &account, rest[20:]
	}
	if sort != sortAll && sort != sortAccount {
		if len(rest) < 8 {
			return f, false
		}
		contract := int64(binary.BigEndian.Uint64(rest))
		f.Contract, rest = &contract, rest[8:]
	}
	if sort == sortToken {
		f.Token = new(evm.Uint256)
		return f, f.Token.Scan([]byte(rest)) == nil
	}
	return f, len(rest) == 0
}

// whole returns the scope that contains s: that of the account for an account in a
// collection, that of the collection for a token, and nil for others.
func (s Scope) whole() Scope {
	f, ok := s.Filter()
	switch {
	case !ok || f.Contract == nil:
		return nil
	case f.Account != nil:
		f.Contract = nil
	case f.Token != nil:
		f.Token = nil
	default:
		return nil
	}
	return f.Scope()
}

// LeafSize is the number of records above which a scope has a tree, and above which a node is
// split. It bounds the number of records that a total counts at each end of its range.
const LeafSize = 512

// shifts are the numbers of low bits in which the blocks of a node differ, by level.
var shifts = [...]uint{33, 24, 18, 12, 6, 0}

// Levels is the number of levels of a tree.
const Levels = len(shifts)

// LastBlock is the last block of the root, and larger than any block that can be stored.
const LastBlock = 1<<33 - 1

// Shift returns the number of low bits in which the blocks of a node of a level differ.
func Shift(level int) uint { return shifts[level] }

// Node is a node of a tree, with the tally of the records in its blocks.
type Node struct {
	Level  int
	Bucket uint64
	Tally
}

// Span returns the blocks of a node.
func (n Node) Span() evm.Range {
	shift := shifts[n.Level]
	return evm.Range{From: n.Bucket << shift, To: (n.Bucket+1)<<shift - 1}
}

// split reports whether the level below has the node's parts. A single block has none.
func (n Node) split() bool { return n.N > LeafSize && n.Level < Levels-1 }

// part returns an empty node for a bucket of the level below.
func (n Node) part(bucket uint64) Node { return Node{Level: n.Level + 1, Bucket: bucket} }

// Key returns the encoding of a node in the database: its scope, its level and, with 8 bytes,
// its bucket. No scope begins with another, so the nodes of a level are neighbours, in order.
func Key(s Scope, level int, bucket uint64) []byte {
	key := append(make([]byte, 0, len(s)+keyEnd), s...)
	return binary.BigEndian.AppendUint64(append(key, byte(level)), bucket)
}

// keyEnd is the number of bytes of a key after the scope.
const keyEnd = 1 + 8

// ParseKey is the inverse of [Key]. It returns false if key encodes no node of a level.
func ParseKey(key []byte) (s Scope, level int, bucket uint64, ok bool) {
	if len(key) <= keyEnd {
		return nil, 0, 0, false
	}
	s, key = key[:len(key)-keyEnd], key[len(key)-keyEnd:]
	_, ok = s.Filter()
	return s, int(key[0]), binary.BigEndian.Uint64(key[1:]), ok && int(key[0]) < Levels
}

// Change is a node to store or, if it has no records, to remove.
type Change struct {
	Scope Scope
	Node
}

// Count is the tally of the records in a block.
type Count struct {
	Block uint64
	Tally
}

// sumOf adds up tallies.
func sumOf(counts []Count) (sum Tally) {
	for _, c := range counts {
		sum = sum.Plus(c.Tally)
	}
	return sum
}

// Rows reads and stores the nodes of trees, and counts records.
type Rows interface {
	// Nodes returns the stored nodes of a level in a range of buckets, in order.
	Nodes(ctx context.Context, s Scope, level int, buckets evm.Range) ([]Node, error)
	// Save removes nodes, and then inserts or replaces others. Neither of them has a node twice.
	Save(ctx context.Context, changes []Change) error
	// Number returns the number of records of a scope, or most if it has more.
	Number(ctx context.Context, s Scope, most int64) (int64, error)
	// CountBlocks counts the records of a scope in each block of a range. It counts only the
	// first most records, unless most is 0. It returns the blocks with records, in order.
	CountBlocks(ctx context.Context, s Scope, blocks evm.Range, most int64) ([]Count, error)
}
