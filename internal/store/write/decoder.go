package write

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

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

// Equal reports whether two sets returned by Over are equal.
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

	// unstored is that of [Settings.Unstored].
	unstored bool
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
