package data

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
)

const (
	// Collections is the number of collections. The largest has a fifth of the
	// records, each of the others fewer than the one before.
	Collections = 2_000
	// FirstBlock is the number of the first block.
	FirstBlock = 10_000_000
	// MaxBlock is the largest number of records in a block.
	MaxBlock = 2_000
	// MaxTx is the largest number of records in a transaction.
	MaxTx = 200
	// Hours is the time from the first block, at the start of an hour, to the end of the chain.
	Hours = 1_000

	firstTime = 1_720_000_800
	seed      = 6
	// erc721Collections is the share of collections that makes ERC-721 80 % of
	// the records: the largest is one of them, but ERC-1155 has batches.
	erc721Collections = 0.835
)

// Stats counts the generated data.
type Stats struct {
	// Blocks, Mints, Burns and Documents are counts.
	Blocks, Mints, Burns, Documents int
}

// Write writes an import file with a number of mints and burns, which must be at least
// 1, followed by documents for one token in a hundred, at least 1 in each collection.
func Write(w io.Writer, records int) (Stats, error) {
	return write(w, options(records), Hours, false, someTokens)
}

// someTokens returns the first hundredth of the tokens of a collection.
func someTokens(c *collection) (first, last int, picture bool) {
	return 1, min(c.minted, max(1, c.minted/100)), false
}

// WriteContracts writes what [Write] writes, followed by a document for each collection.
func WriteContracts(w io.Writer, records int) (Stats, error) {
	return write(w, options(records), Hours, true, someTokens)
}

// WriteViews writes an import file for looking at Explore: 15 months with 700,000 mints and
// 300,000 burns in 276 collections, followed by documents with pictures for the newest tenth of the
// tokens of each.
func WriteViews(w io.Writer) (Stats, error) {
	o := options(1_000_000)
	o.Collections = 276
	return write(w, o, 11*Hours, false, func(c *collection) (first, last int, picture bool) {
		return c.minted - c.minted/10, c.minted, true
	})
}

// write writes the blocks of o, and the documents of each collection if contracts is set, and of its
// tokens whose ids documented returns.
func write(w io.Writer, o chaintest.Options, hours int, contracts bool, documented func(*collection) (first, last int, picture bool)) (Stats, error) {
	var stats Stats
	out := bufio.NewWriterSize(w, 1<<20)
	var collections collections
	var line []byte
	for b := range chaintest.Blocks(o) {
		b.Header.Time = firstTime + uint64(stats.Blocks*hours*3600/len(o.Sizes))
		line = append(b.AppendLine(line[:0]), '\n')
		if _, err := out.Write(line); err != nil {
			return stats, fmt.Errorf("writing block %d: %w", b.Header.Number, err)
		}
		stats.Blocks++
		stats.Mints += len(b.Mints)
		stats.Burns += len(b.Burns)
		collections.count(b.Mints)
	}
	for _, c := range collections.list {
		if contracts {
			if _, err := out.Write(append(c.appendContract(line[:0]), '\n')); err != nil {
				return stats, fmt.Errorf("writing the document of %s: %w", c.address, err)
			}
			stats.Documents++
		}
		first, last, picture := documented(c)
		for id := first; id <= last; id++ {
			line = append(c.appendDocument(line[:0], id, picture), '\n')
			if _, err := out.Write(line); err != nil {
				return stats, fmt.Errorf("writing a document of %s: %w", c.address, err)
			}
			stats.Documents++
		}
	}
	if err := out.Flush(); err != nil {
		return stats, fmt.Errorf("writing the import file: %w", err)
	}
	return stats, nil
}

func options(records int) chaintest.Options {
	return chaintest.Options{
		Seed: seed, FirstBlock: FirstBlock, Sizes: sizes(records), Collections: Collections,
		Accounts: max(1_000, records/10), MintShare: 0.7, ERC721Share: erc721Collections, TxRecords: MaxTx,
	}
}

// sizes divides the records among blocks: half of the blocks have fewer than
// 10, one in a hundred has nearly [MaxBlock], and the mean is 200.
func sizes(records int) []int {
	random := rand.New(rand.NewPCG(seed, 0))
	var list []int
	for left := records; left > 0; {
		n := min(left, 1+int((MaxBlock-1)*math.Pow(random.Float64(), 9)))
		list = append(list, n)
		left -= n
	}
	return list
}

// collections holds the collections so far, in the order of their first mint.
type collections struct {
	list  []*collection
	known map[evm.Address]*collection
}

type collection struct {
	address evm.Address
	typ     nft.ContractType
	// minted is the number of tokens; their ids are 1, 2, …
	minted int
}

func (c *collections) count(mints []nft.Record) {
	if c.known == nil {
		c.known = map[evm.Address]*collection{}
	}
	for i := range mints {
		m := &mints[i]
		seen := c.known[m.Contract]
		if seen == nil {
			seen = &collection{address: m.Contract, typ: m.Type}
			c.known[m.Contract], c.list = seen, append(c.list, seen)
		}
		seen.minted++
	}
}
