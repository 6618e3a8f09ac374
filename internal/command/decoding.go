package command

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// decoding is the flags of commands that decode logs.
type decoding struct {
	BurnAddress []evm.Address `help:"Count transfers to this address as burns too (repeatable); the database remembers it." placeholder:"A" sep:","`
	Unindexed   []evm.Address `help:"Read the Transfer events without indexed arguments of this contract, such as CryptoKitties (repeatable); the database remembers it." placeholder:"A" sep:","`
	RangeCap    uint64        `help:"Reject EIP-2309 ranges of more ids than this, 10000 in a new database unless given; the database remembers it." placeholder:"N"`
}

// given returns the options of the flags.
func (d *decoding) given() store.Decoding {
	return store.Decoding{BurnAddresses: d.BurnAddress, Unindexed: d.Unindexed, RangeCap: d.RangeCap}
}

// bind returns a decoder with the options and collections of s. It binds s to those
// of the flags if s has none yet, and fails if the flags contradict s.
func (d *decoding) bind(ctx context.Context, e *env, s *store.Store, contracts []evm.Address) (*nft.Decoder, error) {
	contracts, err := s.Settings().BindContracts(ctx, contracts)
	if err != nil {
		return nil, err
	}
	o, adopted, err := s.Settings().BindDecoding(ctx, d.given())
	if err != nil {
		return nil, err
	}
	if adopted {
		e.log.Warn("the database held no decoder options and is bound to these now; if it was filled with others, mintburn redecode changes it", "options", o)
	}
	return newDecoder(o, contracts), nil
}

// newDecoder returns a decoder for contracts, or for all collections if there are
// none.
func newDecoder(o store.Decoding, contracts []evm.Address) *nft.Decoder {
	return &nft.Decoder{BurnAddresses: set(o.BurnAddresses), Unindexed: set(o.Unindexed), Contracts: set(contracts), RangeCap: o.RangeCap}
}

func set(addresses []evm.Address) map[evm.Address]bool {
	m := make(map[evm.Address]bool, len(addresses))
	for _, a := range addresses {
		m[a] = true
	}
	return m
}
