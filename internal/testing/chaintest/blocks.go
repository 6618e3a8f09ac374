package chaintest

import (
	"encoding/binary"
	"iter"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/crypto/keccak"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Block is a generated block. Its slices are reused for the next block.
type Block struct {
	// Block holds the header and the records that the decoder should return for Logs. They
	// are made without the decoder; Rejected is empty.
	nft.Block
	// Logs holds all logs of the block, including noise, in order of their index.
	Logs []evm.Log
}

// genesisTime is the Unix time of block 0, and blockTime the seconds between blocks.
const (
	genesisTime = 1_600_000_000
	blockTime   = 12
)

// Blocks generates a chain of blocks that are linked by their hashes. Only minted tokens
// are burned, and ERC-721 tokens only by their owner. Balances of ERC-1155 tokens are not
// tracked.
func Blocks(o Options) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		g := newGenerator(o)
		blocks := o.Blocks
		if o.Sizes != nil {
			blocks = len(o.Sizes)
		}
		for n := range blocks {
			records := o.Records
			if o.Sizes != nil {
				records = o.Sizes[n]
			}
			g.next(o.FirstBlock+uint64(n), records)
			if !yield(&g.block) {
				return
			}
		}
	}
}

// generator generates blocks one after the other.
type generator struct {
	o           Options
	random      *rand.Rand
	collections []collection
	block       Block
	data        []byte // backs the data of the block's logs
	topics      []evm.Hash
}

// collection is one contract. It mints the token ids 1, 2, … and burns them in the same
// order; minted and burned are the last ids of each.
type collection struct {
	address        evm.Address
	erc1155        bool
	minted, burned uint64
}

func newGenerator(o Options) *generator {
	g := &generator{o: o, random: rand.New(rand.NewPCG(o.Seed, 0)), collections: make([]collection, o.Collections)}
	for i := range g.collections {
		g.collections[i].address = g.address('c', uint64(i))
		// Spread the standards evenly over large and small collections.
		g.collections[i].erc1155 = int(float64(i+1)*(1-o.ERC721Share)) > int(float64(i)*(1-o.ERC721Share))
	}
	return g
}

// next generates the block with this number and this many records.
func (g *generator) next(number uint64, records int) {
	b := &g.block
	b.Header = evm.Header{
		BlockRef:   evm.BlockRef{Number: number, Hash: g.hash('b', number, 0)},
		ParentHash: g.hash('b', number-1, 0),
		Time:       genesisTime + blockTime*number,
	}
	b.Mints, b.Burns, b.Logs = b.Mints[:0], b.Burns[:0], b.Logs[:0]
	g.data, g.topics = g.data[:0], g.topics[:0]
	for left, tx := records, uint32(0); left > 0; tx++ {
		size := min(left, 1+g.random.IntN(g.o.TxRecords))
		g.transaction(tx, size)
		left -= size
	}
}

// hash derives a hash from the seed, kind, a and b.
func (g *generator) hash(kind byte, a, b uint64) (hash evm.Hash) {
	name := binary.BigEndian.AppendUint64([]byte{kind}, g.o.Seed)
	name = binary.BigEndian.AppendUint64(name, a)
	name = binary.BigEndian.AppendUint64(name, b)
	hasher := keccak.NewLegacyKeccak256()
	hasher.Write(name)
	hasher.Sum(hash[:0])
	return hash
}

// address derives an address from the seed, kind and n.
func (g *generator) address(kind byte, n uint64) (address evm.Address) {
	hash := g.hash(kind, n, 0)
	copy(address[:], hash[12:])
	return address
}

// owner returns the account that owns a token of collection c from mint to burn. It is a
// function of the token, so no list of owners is needed.
func (g *generator) owner(c *collection, id uint64) (account evm.Address) {
	mixed := (binary.BigEndian.Uint64(c.address[:]) ^ id) * 0x9e3779b97f4a7c15
	n := (mixed >> 32) % uint64(g.o.Accounts)
	binary.BigEndian.PutUint64(account[:], (n+1)*0xbf58476d1ce4e5b9^g.o.Seed)
	binary.BigEndian.PutUint64(account[12:], n+1)
	return account
}

// pick chooses a random collection, the first one most often.
func (g *generator) pick() *collection {
	rest := len(g.collections) - 1
	if rest == 0 || g.random.Float64() < 0.2 {
		return &g.collections[0]
	}
	u := g.random.Float64()
	return &g.collections[1+int(u*u*float64(rest))]
}
