package following

import (
	"context"

	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
)

// Decoding holds the flags of commands that decode logs into a database.
type Decoding struct {
	Rules
	Transactions *bool `help:"Also store sender, receiver, value and fee of each transaction with mints or burns, from now on; verify --repair adds older ones. Stored in the database until --no-transactions." negatable:"" chain:""`
}

// Rules holds the flags that decide which logs are mints and burns.
type Rules struct {
	BurnAddress []evm.Address `help:"Also count transfers to this address as burns (repeatable). Stored in the database, if any." placeholder:"A" sep:"," chain:""`
	Unindexed   []evm.Address `help:"Decode this contract's Transfer events without indexed arguments, as CryptoKitties emits them (repeatable). Stored in the database, if any." placeholder:"A" sep:"," chain:""`
	RangeCap    uint64        `help:"Reject EIP-2309 ranges of more token ids than this, 10000 by default. Stored in the database, if any." placeholder:"N" chain:""`
}

// given returns the decoder options that the flags set.
func (r *Rules) given() nft.Decoding {
	return nft.Decoding{BurnAddresses: r.BurnAddress, Unindexed: r.Unindexed, RangeCap: r.RangeCap}
}

// Decoder returns a decoder with the options of the flags alone, see newDecoder.
func (r *Rules) Decoder(contracts []evm.Address) *nft.Decoder {
	return newDecoder(r.given(), contracts)
}

// Bind returns a decoder with the options and collections of a database. If it has none yet, it
// binds it to those of the flags. It fails if the flags contradict the database.
func (d *Decoding) Bind(ctx context.Context, e *process.Env, s write.Settings, contracts []evm.Address) (*nft.Decoder, error) {
	contracts, err := s.BindContracts(ctx, contracts)
	if err != nil {
		return nil, err
	}
	o, adopted, err := s.BindDecoding(ctx, d.given())
	if err != nil {
		return nil, err
	}
	if adopted {
		e.Log.Warn("the database had no decoder options and is now bound to these; if it was filled with others, sync a new one", "options", o)
	}
	return newDecoder(o, contracts), nil
}

// Details returns the option of a client that reads the details of the transactions with
// records of a decoder. It is nil unless the database stores them. The flag, if set, binds the
// database.
func (d *Decoding) Details(ctx context.Context, s write.Settings, decoder *nft.Decoder) (func(evm.Header, []evm.Log) (map[evm.Hash]bool, error), error) {
	if bound, err := s.BindTransactions(ctx, d.Transactions); err != nil || !bound {
		return nil, err
	}
	return func(header evm.Header, logs []evm.Log) (map[evm.Hash]bool, error) {
		block, err := decoder.Decode(header, logs)
		return block.TxHashes(), err
	}, nil
}

// newDecoder returns a decoder for contracts, or for all collections if contracts is
// empty.
func newDecoder(o nft.Decoding, contracts []evm.Address) *nft.Decoder {
	return &nft.Decoder{BurnAddresses: set(o.BurnAddresses), Unindexed: set(o.Unindexed), Contracts: set(contracts), RangeCap: o.RangeCap}
}

func set(addresses []evm.Address) map[evm.Address]bool {
	m := make(map[evm.Address]bool, len(addresses))
	for _, a := range addresses {
		m[a] = true
	}
	return m
}
