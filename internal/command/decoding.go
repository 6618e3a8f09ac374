package command

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/write"
)

// decoding holds the flags of commands that decode logs.
type decoding struct {
	BurnAddress  []evm.Address `help:"Also count transfers to this address as burns (repeatable). Stored in the database." placeholder:"A" sep:","`
	Unindexed    []evm.Address `help:"Decode this contract's Transfer events without indexed arguments, as CryptoKitties emits them (repeatable). Stored in the database." placeholder:"A" sep:","`
	RangeCap     uint64        `help:"Reject EIP-2309 ranges of more token ids than this. Stored in the database. Default in a new one: 10000." placeholder:"N"`
	Transactions bool          `help:"Also store sender, receiver, value and fee of each transaction with mints or burns, from now on; verify --repair adds older ones. Stored in the database."`
}

// given returns the decoder options that the flags set.
func (d *decoding) given() write.Decoding {
	return write.Decoding{BurnAddresses: d.BurnAddress, Unindexed: d.Unindexed, RangeCap: d.RangeCap}
}

// bind returns a decoder with the options and collections of s. If s has none yet, it
// binds s to those of the flags. It fails if the flags contradict s.
func (d *decoding) bind(ctx context.Context, e *env, s *write.DB, contracts []evm.Address) (*nft.Decoder, error) {
	contracts, err := s.Settings().BindContracts(ctx, contracts)
	if err != nil {
		return nil, err
	}
	o, adopted, err := s.Settings().BindDecoding(ctx, d.given())
	if err != nil {
		return nil, err
	}
	if adopted {
		e.log.Warn("the database had no decoder options and is now bound to these; if it was filled with others, run mintburn redecode", "options", o)
	}
	return newDecoder(o, contracts), nil
}

// transactions returns the option of a client that reads the details of the transactions with
// records of d. It is nil unless s is bound to store them. It binds s if the flag is set.
func (d *decoding) transactions(ctx context.Context, s *write.DB, decoder *nft.Decoder) (wanted func(evm.Header, []evm.Log) (map[evm.Hash]bool, error), err error) {
	err = s.WriteWithoutLease(ctx, func(ctx context.Context, w *write.Tx) error {
		bound := false
		if _, err := tables.Get(ctx, w.Client(), tables.Transactions, &bound); err != nil || !bound && !d.Transactions {
			return err
		}
		wanted = func(header evm.Header, logs []evm.Log) (map[evm.Hash]bool, error) {
			block, err := decoder.Decode(header, logs)
			return block.TxHashes(), err
		}
		if bound {
			return nil
		}
		return tables.Set(ctx, w.Client(), tables.Transactions, true)
	})
	return wanted, err
}

// newDecoder returns a decoder for contracts, or for all collections if contracts is
// empty.
func newDecoder(o write.Decoding, contracts []evm.Address) *nft.Decoder {
	return &nft.Decoder{BurnAddresses: set(o.BurnAddresses), Unindexed: set(o.Unindexed), Contracts: set(contracts), RangeCap: o.RangeCap}
}

func set(addresses []evm.Address) map[evm.Address]bool {
	m := make(map[evm.Address]bool, len(addresses))
	for _, a := range addresses {
		m[a] = true
	}
	return m
}
