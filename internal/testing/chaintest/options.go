package chaintest

// Options describe a generated chain. Shares range from 0 to 1. Counts must be positive
// unless noted. [Default] returns values for all fields but Sizes and NoiseShare.
type Options struct {
	// Seed selects the chain. Chains with different seeds have no hash in common.
	Seed uint64
	// FirstBlock is the number of the first block, at least 1.
	FirstBlock uint64
	// Blocks is the number of blocks.
	Blocks int
	// Records is the exact number of mints and burns in each block. It may be 0.
	Records int
	// Sizes, if not nil, holds the number of records of each block, and replaces Blocks
	// and Records.
	Sizes []int
	// Collections is the number of contracts. The first has a fifth of the records, each
	// further one fewer. With fewer than 20 contracts, others may have a fifth as well.
	Collections int
	// Accounts is the number of addresses that receive and burn.
	Accounts int
	// MintShare is the share of mints among the records; the rest are burns. If a
	// collection has no token to burn, it mints instead.
	MintShare float64
	// ERC721Share is the share of ERC-721 collections, which include the largest one unless
	// the share is 0. The rest are ERC-1155.
	ERC721Share float64
	// TxRecords is the maximum number of records in a transaction. The numbers are
	// uniform from 1 to this maximum.
	TxRecords int
	// NoiseShare is the share of ERC-20 transfers among the logs. It must be below 1.
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

// Stats are the sizes of a generated chain.
type Stats struct {
	// Logs includes noise.
	Blocks, Logs, Mints, Burns int
	// Bytes is the size of the recording.
	Bytes int64
}
