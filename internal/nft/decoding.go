package nft

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
)

// Decoding are the options of a [Decoder] that decide which records a block
// has. A database has one set of them. It is stored with the first blocks, and
// never changes.
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
		return AddressSet(a)
	}
	return Decoding{
		BurnAddresses: either(d.BurnAddresses, other.BurnAddresses),
		Unindexed:     either(d.Unindexed, other.Unindexed),
		RangeCap:      cmp.Or(d.RangeCap, other.RangeCap, DefaultRangeCap),
	}
}

// AddressSet returns addresses sorted, without duplicates.
func AddressSet(list []evm.Address) []evm.Address {
	list = slices.SortedFunc(slices.Values(list), func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(list)
}

// Equal reports whether two sets returned by Over are equal.
func (d Decoding) Equal(other Decoding) bool { return d.String() == other.String() }
