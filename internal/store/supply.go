package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/read"
	"mintburn/internal/store/total"
)

// Quantity is the minted, burned or supplied amount of a token or collection.
type Quantity int

// The quantities.
const (
	Minted Quantity = iota
	Burned
	// Supply is the minted amount minus the burned amount.
	Supply
)

// kinds returns the record kinds that the quantity is computed from.
func (q Quantity) kinds() []nft.Kind {
	return [...][]nft.Kind{{nft.Mint}, {nft.Burn}, {nft.Mint, nft.Burn}}[q]
}

// Amounts returns a quantity of each token or collection at the end of atBlock; nil means
// the last indexed block. An amount is nil if it is negative, or if missing blocks may
// contain more records. For an amount above 2^256-1, errs holds an error. A block that is
// not indexed is an [apierror.Error] with the code BLOCK_NOT_INDEXED.
func (in Subjects) Amounts(ctx context.Context, q Quantity, subjects []*Subject, atBlock *evm.Long) (amounts []*evm.Uint256, errs []error, err error) {
	s := in.snapshot
	tallies, err := tallies(ctx, s, q.kinds(), subjects, atBlock)
	amounts, errs = make([]*evm.Uint256, len(subjects)), make([]error, len(subjects))
	if err != nil || tallies == nil {
		return amounts, errs, err
	}
	values := make([]evm.Uint256, len(subjects))
	for i := range subjects {
		amount := tallies[0][i].Amount
		if q == Supply {
			burned := tallies[1][i].Amount
			if amount.Cmp(burned) < 0 {
				continue
			}
			amount = amount.Sub(burned)
		}
		var fits bool
		if values[i], fits = amount.Uint256(); !fits {
			errs[i] = apierror.Errorf(apierror.OutOfRange, "the amount is above 2^256-1, which BigInt does not hold")
			continue
		}
		amounts[i] = &values[i]
	}
	return amounts, errs, nil
}

// Items returns the number of records of a kind of each collection or token at the end of
// atBlock; nil means the last indexed block. The number is nil if missing blocks may
// contain more records. A block that is not indexed is an [apierror.Error] with the code
// BLOCK_NOT_INDEXED.
func (in Subjects) Items(ctx context.Context, kind nft.Kind, subjects []*Subject, atBlock *evm.Long) ([]*evm.Long, error) {
	items, values := make([]*evm.Long, len(subjects)), make([]evm.Long, len(subjects))
	tallies, err := tallies(ctx, in.snapshot, []nft.Kind{kind}, subjects, atBlock)
	if err != nil || tallies == nil {
		return items, err
	}
	for i, tally := range tallies[0] {
		values[i] = evm.Long(tally.N)
		items[i] = &values[i]
	}
	return items, nil
}

// TokenState says whether a token exists. The values are those of the GraphQL enum.
type TokenState string

// The states. Only an ERC-1155 token can be TokenUnknown.
const (
	TokenExists  TokenState = "EXISTS"
	TokenBurned  TokenState = "BURNED"
	TokenUnknown TokenState = "UNKNOWN"
)

// States returns the state of each token. The latest record decides for an ERC-721 token.
// An ERC-1155 token exists if more of it was minted than burned, and is burned if the
// amounts are equal. It is unknown if more was burned, or if missing blocks may contain
// more records.
func (in Subjects) States(ctx context.Context, tokens []*Token) ([]TokenState, error) {
	s := in.snapshot
	states := make([]TokenState, len(tokens))
	var multi []*Subject
	var at []int
	for i, t := range tokens {
		switch {
		case t.Type == nft.ERC1155:
			states[i], multi, at = TokenUnknown, append(multi, &t.Subject), append(at, i)
		case t.Latest == nft.Mint:
			states[i] = TokenExists
		default:
			states[i] = TokenBurned
		}
	}
	if len(multi) == 0 {
		return states, nil
	}
	tallies, err := tallies(ctx, s, Supply.kinds(), multi, nil)
	if err != nil || tallies == nil {
		return states, err
	}
	for k, i := range at {
		switch tallies[0][k].Amount.Cmp(tallies[1][k].Amount) {
		case 1:
			states[i] = TokenExists
		case 0:
			states[i] = TokenBurned
		}
	}
	return states, nil
}

// tallies returns, for each kind, the tally of each token or collection at the end of
// atBlock; nil means the last indexed block. It returns nil if missing blocks may contain
// more records.
func tallies(ctx context.Context, s *read.Snapshot, kinds []nft.Kind, subjects []*Subject, atBlock *evm.Long) ([][]counter.Tally, error) {
	whole, err := read.WholeTo(ctx, s, atBlock)
	if err != nil || !whole {
		return nil, err
	}
	all := make([][]counter.Tally, len(kinds))
	return all, s.Tx.Together(ctx, len(kinds), func(ctx context.Context, i int) (err error) {
		all[i], err = talliesOf(ctx, s, kinds[i], subjects, atBlock)
		return err
	})
}

// talliesOf is [tallies] of a kind. The fields of an answer share what they read.
func talliesOf(ctx context.Context, s *read.Snapshot, kind nft.Kind, subjects []*Subject, atBlock *evm.Long) ([]counter.Tally, error) {
	to := uint64(counter.LastBlock)
	if atBlock != nil {
		to = uint64(*atBlock)
	}
	tallies := make([]counter.Tally, len(subjects))
	var some []*Subject
	var at []int
	for i, of := range subjects {
		if known := &of.known[kind]; known.known && known.from <= to {
			tallies[i] = known.Tally
		} else {
			some, at = append(some, of), append(at, i)
		}
	}
	if len(some) == 0 {
		return tallies, nil
	}
	key := append(make([]byte, 0, 17+40*len(some)), byte(kind))
	for _, n := range [...]uint64{to, uint64(len(some))} {
		key = binary.BigEndian.AppendUint64(key, n)
	}
	for _, of := range some {
		if key = binary.BigEndian.AppendUint64(key, uint64(of.contractID)); of.tokenID != nil {
			word := of.tokenID.Word()
			key = append(key, word[:]...)
		}
	}
	found, err := database.Shared(ctx, s.Tx, sha256.Sum256(key), func(ctx context.Context) ([]counter.Tally, error) {
		q := listOf(some).Records(kind)
		for _, of := range some {
			q.List.Scopes = append(q.List.Scopes, counter.Filter{Kind: kind, Contract: &of.contractID, Token: of.tokenID}.Scope())
		}
		return total.Sums(ctx, s, q, to)
	})
	for k := range found {
		tallies[at[k]] = found[k]
	}
	return tallies, err
}
