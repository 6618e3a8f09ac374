package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Decoding are the options of [nft.Decoder] that decide which records a block
// has. A database has one set of them: it is stored with the first blocks, and
// only a redecode changes it.
type Decoding struct {
	BurnAddresses []evm.Address `json:"burn_addresses,omitempty"`
	Unindexed     []evm.Address `json:"unindexed,omitempty"`
	RangeCap      uint64        `json:"range_cap"`
}

// String returns the options as flags of the command line, complete and in one
// order.
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

// over returns d with the options of another set where d has none, or else their
// defaults.
func (d Decoding) over(other Decoding) Decoding {
	either := func(a, b []evm.Address) []evm.Address {
		if len(a) == 0 {
			a = b
		}
		a = slices.Clone(a)
		slices.SortFunc(a, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
		return slices.Compact(a)
	}
	return Decoding{
		BurnAddresses: either(d.BurnAddresses, other.BurnAddresses),
		Unindexed:     either(d.Unindexed, other.Unindexed),
		RangeCap:      cmp.Or(d.RangeCap, other.RangeCap, nft.DefaultRangeCap),
	}
}

// equal compares two sets that over returned.
func (d Decoding) equal(other Decoding) bool { return d.String() == other.String() }

// DecodingError says that the stored blocks are decoded with other options, and
// which command changes that.
type DecodingError struct {
	// Unfinished says that a redecode changes the options, and is not finished.
	Unfinished bool

	text string
}

// Error is one line.
func (e *DecodingError) Error() string { return e.text }

func otherDecoding(stored, given Decoding) error {
	return &DecodingError{text: fmt.Sprintf("the database is decoded with %s, given are %s: mintburn redecode --db DSN --rpc URL %s changes it", stored, given, given)}
}

// binding are the options that the blocks of a [Store] are decoded with.
type binding struct {
	Decoding
	// redecodes says that the database has others until the redecode is finished.
	redecodes bool
}

// BindDecoding returns the options that blocks must be decoded with: what is
// given, completed by what is stored or the defaults. From then on s refuses
// blocks with a [*DecodingError] once the stored options are others, and stores
// the options with the first blocks. It returns such an error if the stored
// options differ from those given, or if a redecode is not finished.
//
// A database that has blocks but no options is of a version before they were
// stored: it gets them at once, and adopted is true.
func (s *Store) BindDecoding(ctx context.Context, given Decoding) (bound Decoding, adopted bool, err error) {
	_, err = s.write(ctx, func(ctx context.Context, w *writer) error {
		stored, unfinished, err := w.decoding(ctx)
		switch {
		case err != nil:
			return err
		case unfinished != nil:
			return unfinished.error()
		case stored != nil:
			if bound = given.over(*stored); !bound.equal(*stored) {
				return otherDecoding(*stored, bound)
			}
			return nil
		}
		bound = given.over(Decoding{})
		if adopted, err = w.store.client(w.tx).Coverage.Query().Exist(ctx); err != nil || !adopted {
			return err
		}
		return w.setJSON(ctx, settingDecoding, bound)
	})
	if err != nil {
		return Decoding{}, false, err
	}
	s.bound.Store(&binding{Decoding: bound})
	return bound, adopted, nil
}

// decoding returns the stored options and the unfinished redecode, nil where
// there is none.
func (w *writer) decoding(ctx context.Context) (stored *Decoding, unfinished *redecoding, err error) {
	err = w.get(ctx, map[string]any{settingDecoding: &stored, settingRedecoding: &unfinished})
	return stored, unfinished, err
}

// checkDecoding returns a [*DecodingError] if the stored blocks are decoded with
// other options than those of the store, which it stores with the first blocks.
func (w *writer) checkDecoding(ctx context.Context) error {
	bound := w.store.bound.Load()
	if bound == nil {
		return nil
	}
	stored, unfinished, err := w.decoding(ctx)
	switch {
	case err != nil:
		return err
	case unfinished != nil && bound.redecodes && unfinished.To.equal(bound.Decoding):
		return nil
	case unfinished != nil:
		return unfinished.error()
	case stored == nil:
		return w.setJSON(ctx, settingDecoding, bound.Decoding)
	case !stored.equal(bound.Decoding):
		return otherDecoding(*stored, bound.Decoding)
	}
	return nil
}
