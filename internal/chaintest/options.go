package chaintest

// Options says what a generated chain holds. Shares are from 0 to 1, counts
// must be positive unless noted; [Default] has values for all of them.
type Options struct {
	// Seed chooses the chain: two seeds have no hash in common.
	Seed uint64
	// FirstBlock is the number of the first block, at least 1.
	FirstBlock uint64
	// Blocks is the number of blocks.
	Blocks int
	// Records is the exact number of mints and burns in each block; it may
	// be 0.
	Records int
	// Sizes are the numbers of records of the blocks, if they are to differ:
	// Blocks and Records are then not asked.
	Sizes []int
	// Collections is the number of contracts. One of them has a fifth of the
	// records, the others ever less (with fewer than 20, some have as much).
	Collections int
	// Accounts is the number of addresses that receive and burn.
	Accounts int
	// MintShare is the share of mints among the records, the rest are burns;
	// a burn of a token that was not minted yet becomes a mint.
	MintShare float64
	// ERC721Share is the share of collections that are ERC-721, the largest
	// first among them unless it is 0; the rest are ERC-1155.
	ERC721Share float64
	// TxRecords is the most records in one transaction; sizes are uniform
	// from 1 to it.
	TxRecords int
	// NoiseShare is the share of ERC-20 transfers among the logs; below 1.
	NoiseShare float64
}

// Default returns options for a chain of 1,000 blocks of 100 records.
func Default() Options {
	return Options{
		Seed: 1, FirstBlock: 1, Blocks: 1000, Records: 100,
		Collections: 200, Accounts: 5000,
		MintShare: 0.7, ERC721Share: 0.8, TxRecords: 20,
	}
}

// Stats counts what was generated.
type Stats struct {
	// Blocks, Logs, Mints and Burns are numbers of these; Logs includes noise.
	Blocks, Logs, Mints, Burns int
	// Bytes is the size of the text.
	Bytes int64
}
