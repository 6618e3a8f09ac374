package store

import (
	"context"
	"encoding/binary"

	"mintburn/ent/mint"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
	"mintburn/internal/store/total"
)

// Order is the direction of a page.
type Order string

// The orders; the values are those of the GraphQL enum Order. The zero value
// means Asc.
const (
	Asc  Order = "ASC"  // oldest first
	Desc Order = "DESC" // newest first
)

// Finality says which blocks a filter includes.
type Finality string

// The values of the GraphQL enum Finality. The zero value means Latest.
const (
	Latest    Finality = "LATEST"    // all indexed blocks
	Finalized Finality = "FINALIZED" // indexed blocks up to the finalized block
)

// Filter selects mints or burns. A nil field does not filter.
type Filter struct {
	// Kind is the kind of records.
	Kind nft.Kind
	// Block restricts to one block.
	Block *evm.BlockNumberOrHash
	// Address restricts to a collection.
	Address *evm.Address
	// TokenID restricts to a token of the collection.
	TokenID *evm.Uint256
	// TransactionHash restricts to a transaction.
	TransactionHash *evm.Hash
	// Account restricts to the receiver of a mint or the sender of a burn.
	Account *evm.Address
	// Lists restrict to any of several values; nil does not filter.
	Lists *Lists
	// FromBlock and ToBlock narrow to a range, inclusive at both ends.
	FromBlock, ToBlock *evm.Long
	// FromTime and ToTime narrow to the blocks of a range of times, in Unix seconds,
	// inclusive at both ends.
	FromTime, ToTime *evm.Long
	// Finality may narrow to the finalized blocks.
	Finality Finality
	// Order is the direction.
	Order Order
	// Partial accepts a result from the indexed blocks that missing blocks might
	// change; otherwise that is an error.
	Partial bool
}

// tagged reports whether a tag names the filter's block.
func (f *Filter) tagged() bool { return f.Block != nil && f.Block.Tag != "" }

// timed reports whether the filter narrows to a range of times.
func (f *Filter) timed() bool { return f.FromTime != nil || f.ToTime != nil }

// ranged reports whether the filter narrows to a range of blocks.
func (f *Filter) ranged() bool {
	return f.FromBlock != nil || f.ToBlock != nil || f.timed() || f.Finality == Finalized
}

// selectors returns the arguments that are set, other than the block range.
func (f *Filter) selectors() (set selectors) {
	var l Lists
	if f.Lists != nil {
		l = *f.Lists
	}
	for i, given := range [...]bool{
		f.Block != nil, f.Address != nil, f.TokenID != nil, f.TransactionHash != nil, f.Account != nil,
		l.Addresses != nil, l.TransactionHashes != nil, l.Accounts != nil, l.Tokens != nil,
	} {
		if given {
			set |= 1 << i
		}
	}
	return set
}

// Check returns an error for invalid values, and for combinations without an index.
func (f *Filter) Check() error {
	ranged, accepted := isAccepted[f.selectors()]
	switch {
	case !accepted, f.ranged() && !ranged:
		got := f.selectors().String()
		if f.ranged() {
			got += " with a range"
		}
		return apierror.Errorf(apierror.BadUserInput, "filters: got %s, want %s", got, acceptedFilters)
	case f.FromBlock != nil && f.ToBlock != nil && *f.FromBlock > *f.ToBlock:
		return apierror.Errorf(apierror.BadUserInput, "fromBlock: got %d, want at most toBlock, which is %d", *f.FromBlock, *f.ToBlock)
	case f.FromTime != nil && f.ToTime != nil && *f.FromTime > *f.ToTime:
		return apierror.Errorf(apierror.BadUserInput, "fromTime: got %d, want at most toTime, which is %d", *f.FromTime, *f.ToTime)
	case f.Finality != "" && f.Finality != Latest && f.Finality != Finalized:
		return apierror.Errorf(apierror.BadUserInput, "unknown finality: want LATEST or FINALIZED")
	case f.Order != "" && f.Order != Asc && f.Order != Desc:
		return apierror.Errorf(apierror.BadUserInput, "unknown order: want ASC or DESC")
	}
	if l := f.Lists; l != nil {
		if n := l.size(); n > apierror.MaxValues {
			return apierror.TooManyValues((f.selectors() & argLists).String(), n)
		}
	}
	return nil
}

// Fingerprint identifies the filter and order within a cursor. A block is passed by
// number, so that the cursors of a block's number and of its hash are the same.
func (f *Filter) Fingerprint(block *uint64) uint64 {
	// One buffer, because each slice passed to the hash is allocated.
	b := make([]byte, 0, 192)
	field := func(tag byte, value ...byte) { b = append(append(b, tag, byte(len(value))), value...) }
	number := func(tag byte, n uint64) { b = binary.BigEndian.AppendUint64(append(b, tag, 8), n) }
	number('k', uint64(f.Kind))
	if f.Order == Desc {
		field('d')
	}
	if block != nil {
		number('b', *block)
	}
	if f.Address != nil {
		field('c', f.Address[:]...)
	}
	if f.TokenID != nil {
		field('t', f.TokenID.Bytes()...)
	}
	if f.TransactionHash != nil {
		field('x', f.TransactionHash[:]...)
	}
	if f.Account != nil {
		field('a', f.Account[:]...)
	}
	if f.FromBlock != nil {
		number('f', uint64(*f.FromBlock))
	}
	if f.ToBlock != nil {
		number('u', uint64(*f.ToBlock))
	}
	if f.FromTime != nil {
		number('F', uint64(*f.FromTime))
	}
	if f.ToTime != nil {
		number('U', uint64(*f.ToTime))
	}
	if f.Finality == Finalized {
		// Without the finalized block, so that cursors stay valid as it advances.
		field('z')
	}
	if f.Lists != nil {
		b = f.Lists.identify(b)
	}
	return cursor.Fingerprint(b)
}

// spanOf returns the span of a checked filter. The errors are those of [read.Span.Narrow].
func spanOf(ctx context.Context, s *read.Snapshot, f *Filter) (r read.Span, err error) {
	r.From, r.To = f.FromBlock, f.ToBlock
	if (f.timed() || f.Finality == Finalized) && !f.Lists.nothing() {
		err = r.Narrow(ctx, s, read.SpanTimes{From: f.FromTime, To: f.ToTime, Finalized: f.Finality == Finalized, Partial: f.Partial})
	}
	return r, err
}

// resolve looks up the span, block and contract of a checked filter.
func resolve(ctx context.Context, s *read.Snapshot, f Filter) (*query.Query, read.Span, error) {
	r, err := spanOf(ctx, s, &f)
	if err != nil {
		return nil, r, err
	}
	q, err := resolveSpan(ctx, s, &r, f)
	return q, r, err
}

func resolveSpan(ctx context.Context, s *read.Snapshot, r *read.Span, f Filter) (_ *query.Query, err error) {
	q := &query.Query{Kind: f.Kind, Desc: f.Order == Desc, Hi: tables.MaxPosition}
	switch {
	case f.Block != nil:
		number := min(uint64(f.Block.Number), tables.MaxBlock)
		if f.Block.Hash != nil {
			if number, err = read.BlockNumber(ctx, s, *f.Block.Hash); err != nil {
				return nil, err
			}
		} else {
			q.Needs, q.From = query.NeedsFrom, int64(f.Block.Number)
		}
		q.Lo, q.Hi = tables.FirstIn(number), tables.LastIn(number)
	case r.From != nil:
		q.Needs, q.From = query.NeedsFrom, int64(*r.From)
		q.Lo = tables.FirstIn(min(uint64(*r.From), tables.MaxBlock))
	case r.To != nil || f.TransactionHash == nil:
		q.Needs = query.NeedsAll
	}
	if r.To != nil {
		// Clamped as above: a Long may be too large for a position.
		q.Hi = tables.LastIn(min(uint64(*r.To), tables.MaxBlock))
	}
	if r.Nothing {
		q.Hi = q.Lo - 1
	}
	if f.Partial {
		q.Needs = query.NeedsNone
	}
	of := counter.Filter{Kind: f.Kind, Account: f.Account, Token: f.TokenID}
	if f.Address != nil {
		id, known, err := read.ContractID(ctx, s, *f.Address)
		if err != nil {
			return nil, err
		}
		if !known {
			if err := read.RequireContract(ctx, s, *f.Address); err != nil {
				return nil, err
			}
			q.Hi = q.Lo - 1
		}
		of.Contract = &id
	}
	if f.Lists != nil {
		return q, resolveList(ctx, s, q, f.Lists, of)
	}
	// The equalities are in the order of an index's columns.
	switch {
	case f.TransactionHash != nil:
		q.Equal(mint.FieldTxPrefix, f.TransactionHash.Prefix())
		q.Also(mint.FieldTxSuffix, f.TransactionHash.Suffix())
		if of.Contract != nil {
			q.Also(mint.FieldContractID, *of.Contract)
		}
		if f.TokenID != nil {
			q.Also(mint.FieldTokenID, f.TokenID.Bytes())
		}
	case f.Block == nil || f.Address != nil || f.Account != nil:
		q.Restrict(of)
		q.Counted = &of
	}
	return q, nil
}

// requireCovered returns an error if blocks that the filter requires are not indexed. found
// means that the page has items.
func requireCovered(ctx context.Context, s *read.Snapshot, q *query.Query, r read.Span, f Filter, found bool) error {
	switch {
	case f.Partial, r.Nothing, f.Block != nil && f.Block.Hash != nil, f.Lists != nil && f.Lists.nothing():
		return nil
	case f.Block != nil:
		return read.RequireRange(ctx, s, &f.Block.Number, &f.Block.Number)
	case f.ranged():
		return read.RequireRange(ctx, s, r.From, r.To)
	}
	covered, err := s.Indexed(ctx)
	switch {
	case err != nil:
		return err
	case len(covered) == 0:
		return apierror.Errorf(apierror.BlockNotIndexed, "nothing is indexed yet: import a recording or follow a chain")
	case len(covered) == 1:
		return nil
	}
	if f.Lists != nil && f.Lists.TransactionHashes != nil {
		// The block of a transaction with records is indexed.
		if found, err = total.FoundAll(ctx, s, q); err != nil {
			return err
		}
	} else {
		found = found && f.TransactionHash != nil
	}
	if !found {
		return read.MayBeMissing(covered)
	}
	return nil
}
