package store

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Range is a range of blocks, inclusive at both ends.
type Range = evm.Range

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
		return addressSet(a)
	}
	return Decoding{
		BurnAddresses: either(d.BurnAddresses, other.BurnAddresses),
		Unindexed:     either(d.Unindexed, other.Unindexed),
		RangeCap:      cmp.Or(d.RangeCap, other.RangeCap, nft.DefaultRangeCap),
	}
}

// addressSet returns addresses in order, each once.
func addressSet(list []evm.Address) []evm.Address {
	list = slices.SortedFunc(slices.Values(list), func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(list)
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

// redecode is an unfinished change of the options.
type redecode struct {
	// To are the options that the blocks get.
	To Decoding `json:"to"`
	// Done are the blocks that have them, in order. Changed are all that no longer
	// have the options of the setting "decoding".
	Done    []Range `json:"done,omitempty"`
	Changed []Range `json:"changed,omitempty"`
}

// error says how to go on.
func (r *redecode) error() error {
	return &DecodingError{Unfinished: true, text: fmt.Sprintf("the change of the database to %s is not finished: mintburn redecode --db DSN --rpc URL %s finishes it", r.To, r.To)}
}
