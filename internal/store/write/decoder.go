package write

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mintburn/ent"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Decoding are the options of [nft.Decoder] that decide which records a block
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

// DecodingError says that the stored blocks are decoded with other options, and how to get
// others.
type DecodingError struct{ text string }

// Error returns one line.
func (e *DecodingError) Error() string { return e.text }

func otherDecoding(stored, given Decoding) error {
	return &DecodingError{fmt.Sprintf("the database is decoded with %s, given are %s: sync a new database with these, move the documents to it with mintburn export documents and mintburn import, and switch to it", stored, given)}
}

// lastRedecode is the last commit whose program has the command redecode. No release has it. It
// knows the schema up to version 22, so a database that needs it gets no later one.
const lastRedecode = "00645a08"

// halfDecoded returns the error for a database in which redecode was not finished.
func halfDecoded(to Decoding) error {
	return &DecodingError{fmt.Sprintf("the change of the database to %s is not finished: build commit %s and finish it with mintburn redecode --db DSN --rpc URL %s, or sync a new database", to, lastRedecode, to)}
}

// checkRedecoded returns a [*DecodingError] if redecode was not finished.
func checkRedecoded(ctx context.Context, client *ent.Client) error {
	var unfinished *struct{ To Decoding }
	if _, err := tables.Get(ctx, client, tables.Redecoding, &unfinished); err != nil || unfinished == nil {
		return err
	}
	return halfDecoded(unfinished.To)
}

// binding are the options that a [DB] requires of its blocks.
type binding struct {
	Decoding
	// unstored is that of [Settings.Unstored].
	unstored bool
}
