package store

import (
	"context"
	"errors"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
	"mintburn/internal/store/write"
)

// Block returns a stored block. If its header is not stored, the header has only the
// number.
func Block(ctx context.Context, s *write.DB, number uint64) (b nft.Block, err error) {
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	b, _, err = proof.StoredBlock(ctx, snapshot, number, func(string, ...any) {})
	return b, err
}

// SumsOf is [total.Sums] of a collection and of its tokens, first for mints and then for
// burns.
func SumsOf(ctx context.Context, s *read.Snapshot, address evm.Address, tokens []evm.Uint256, to uint64) (sums []counter.Tally, err error) {
	id, known, err := read.ContractID(ctx, s, address)
	if err != nil || !known {
		return nil, err
	}
	of := []*Subject{{contractID: id}}
	for i := range tokens {
		of = append(of, &Subject{contractID: id, tokenID: &tokens[i]})
	}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for _, part := range [][]*Subject{of[:1], of[1:]} {
			some, err := talliesOf(ctx, s, kind, part, new(evm.Long(to)))
			if err != nil {
				return nil, err
			}
			sums = append(sums, some...)
		}
	}
	return sums, nil
}

// Counts are the stored counts of a collection: its first record, its tokens, its mints and
// burns, and its documents.
type Counts struct {
	First     *int64
	Tokens    int64
	Records   [2]counter.Tally
	Documents total.DocumentCounts
}

// CountsOf returns the stored counts of a collection.
func CountsOf(ctx context.Context, s *read.Snapshot, address evm.Address) (c Counts, err error) {
	id, known, err := read.ContractID(ctx, s, address)
	if err != nil || !known {
		return c, err
	}
	row, err := s.Client().Contract.Get(ctx, id)
	if err != nil {
		return c, err
	}
	if c.Tokens, err = total.Tokens(ctx, s, id); err != nil {
		return c, err
	}
	counts, err := total.Documents(ctx, s, []int64{id})
	c.First, c.Records, c.Documents = row.FirstLog, [2]counter.Tally{counter.Ones(*row.MintCount), counter.Ones(*row.BurnCount)}, *counts[id]
	for kind, stored := range [][]byte{row.MintExcess, row.BurnExcess} {
		var excess counter.Amount
		if stored != nil {
			err = errors.Join(err, excess.Scan(stored))
		}
		c.Records[kind].Amount = c.Records[kind].Amount.Add(excess)
	}
	return c, err
}

// Mix makes a collection look as if it had records of both standards.
func Mix(c *Collection) { c.standards = tables.ERC721 | tables.ERC1155 }
