package write

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// BindDecoding returns the options that blocks must be decoded with: the given
// ones, completed with the stored ones or the defaults. From then on the store
// saves the options with the first blocks, and returns a [*DecodingError] for new
// blocks if other options are stored. BindDecoding returns such an error if the
// stored options differ from the given ones, or if a redecode is not finished.
//
// A database with blocks but no options was created before options were stored:
// BindDecoding stores them at once, and adopted is true.
func (s Settings) BindDecoding(ctx context.Context, given Decoding) (bound Decoding, adopted bool, err error) {
	err = s.store.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		stored, unfinished, err := StoredDecoding(ctx, w)
		switch {
		case err != nil:
			return err
		case unfinished != nil:
			return unfinished.Unfinished()
		case stored != nil:
			if bound = given.Over(*stored); !bound.Equal(*stored) {
				return otherDecoding(*stored, bound)
			}
			return nil
		}
		bound = given.Over(Decoding{})
		if adopted, err = w.Ent.Coverage.Query().Exist(ctx); err != nil || !adopted {
			return err
		}
		return tables.Set(ctx, w.Ent, tables.Decoding, bound)
	})
	if err != nil {
		return Decoding{}, false, err
	}
	s.store.Bound.Store(&Binding{Decoding: bound})
	return bound, adopted, nil
}

// StoredDecoding returns the stored options and the unfinished redecode, each nil if
// there is none.
func StoredDecoding(ctx context.Context, w *Tx) (stored *Decoding, unfinished *Redecode, err error) {
	if _, err = tables.Get(ctx, w.Ent, tables.Decoding, &stored); err == nil {
		_, err = tables.Get(ctx, w.Ent, tables.Redecoding, &unfinished)
	}
	return stored, unfinished, err
}

// CheckDecoding returns a [*DecodingError] if the stored blocks are decoded with
// options other than the store's. If none are stored yet, it stores the store's.
func CheckDecoding(ctx context.Context, w *Tx) error {
	bound := w.DB.Bound.Load()
	if bound == nil {
		return nil
	}
	stored, unfinished, err := StoredDecoding(ctx, w)
	switch {
	case err != nil:
		return err
	case unfinished != nil && bound.Redecodes && unfinished.To.Equal(bound.Decoding):
		return nil
	case unfinished != nil:
		return unfinished.Unfinished()
	case stored == nil:
		return tables.Set(ctx, w.Ent, tables.Decoding, bound.Decoding)
	case !stored.Equal(bound.Decoding):
		return otherDecoding(*stored, bound.Decoding)
	}
	return nil
}

// Decoding are the options of [nft.Decoder] that decide which records a block
// has. A database has one set of them. It is stored with the first blocks, and
// only a redecode changes it.
type Decoding struct {
	BurnAddresses []evm.Address `json:"burn_addresses,omitempty"`
	Unindexed     []evm.Address `json:"unindexed,omitempty"`
	RangeCap      uint64        `json:"range_cap"`
}

// String returns the options as command line flags, complete and in a fixed order.
func (d Decoding) String() string {
	var flags []string
	for _, a := range d.BurnAddresses {
		flags = append(flags, "--burn-address "+a.String())
	}
	for _, a := range d.Unindexed {
		flags = append(flags, "--unindexed "+a.String())
	}
	return strings.Join(append(flags, fmt.Sprintf("--range-cap %d", d.RangeCap)), " ")
}

// Over returns d, with unset options filled in from other or else from the defaults.
func (d Decoding) Over(other Decoding) Decoding {
	either := func(a, b []evm.Address) []evm.Address {
		if len(a) == 0 {
			a = b
		}
		return addressSet(a)
	}
	return Decoding{
		BurnAddresses: either(d.BurnAddresses, other.BurnAddresses),
		Unindexed:     either(d.Unindexed, other.Unindexed),
		RangeCap:      cmp.Or(d.RangeCap, other.RangeCap, nft.DefaultRangeCap),
	}
}

// addressSet returns addresses sorted, without duplicates.
func addressSet(list []evm.Address) []evm.Address {
	list = slices.SortedFunc(slices.Values(list), func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(list)
}

// Equal reports whether two sets returned by over are equal.
func (d Decoding) Equal(other Decoding) bool { return d.String() == other.String() }

// DecodingError says that the stored blocks are decoded with other options, and
// names the command that changes them.
type DecodingError struct {
	// Unfinished means that a redecode of the database is not finished.
	Unfinished bool

	text string
}

// Error returns one line.
func (e *DecodingError) Error() string { return e.text }

func otherDecoding(stored, given Decoding) error {
	return &DecodingError{text: fmt.Sprintf("the database is decoded with %s, given are %s: mintburn redecode --db DSN --rpc URL %s changes it", stored, given, given)}
}

// Binding are the options that a [DB] requires of its blocks.
type Binding struct {
	Decoding
	// Redecodes means that the database keeps other options until the redecode is
	// finished.
	Redecodes bool
}

// Redecode is the state of an unfinished redecode.
type Redecode struct {
	// To are the new options.
	To Decoding `json:"to"`
	// Done are the ranges that have the new options, in order. Changed are all ranges
	// that no longer have the options of the setting "decoding".
	Done    []evm.Range `json:"done,omitempty"`
	Changed []evm.Range `json:"changed,omitempty"`
}

// Unfinished returns an error that names the command to finish with.
func (r *Redecode) Unfinished() error {
	return &DecodingError{Unfinished: true, text: fmt.Sprintf("the change of the database to %s is not finished: mintburn redecode --db DSN --rpc URL %s finishes it", r.To, r.To)}
}
