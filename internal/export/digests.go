package export

import (
	"context"
	"reflect"
	"slices"

	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/digest"
)

// Digest is the digest of the exported records of a range of blocks.
type Digest struct {
	evm.Range
	Digest evm.Hash
}

// Digests returns the digest of each of [Export.Indexed], as of the state that the last rows were read
// from. It returns none unless the export has all mints or burns of its blocks. It must not be called
// before Run has returned.
func (x *Export) Digests() []Digest { return x.digests }

// unfiltered reports whether an export has all mints or burns of its blocks.
func (x *Export) unfiltered() bool {
	f := x.opts.Filter
	f.Kind, f.FromBlock, f.ToBlock, f.Partial = 0, nil, nil, false
	if f.Finality == store.Latest {
		f.Finality = ""
	}
	return x.opts.After == nil && reflect.ValueOf(f).IsZero()
}

// readDigests reads the digests of ranges of blocks, unless blocks have been added below others since the
// first page.
func (x *Export) readDigests(ctx context.Context, s *store.Snapshot, indexed []evm.Range) error {
	ends := func(ranges []evm.Range) (list []uint64) {
		for i, r := range ranges {
			if list = append(list, r.From); i < len(ranges)-1 {
				list = append(list, r.To)
			}
		}
		return list
	}
	if !x.unfiltered() || !slices.Equal(ends(x.began), ends(indexed)) {
		return nil
	}
	source := digest.Of(s.Tx, s.Client())
	for _, r := range indexed {
		both, err := source.Range(ctx, r, -1)
		if err != nil {
			return err
		}
		one := Digest{r, both.Mints}
		if x.opts.Set == Burns {
			one.Digest = both.Burns
		}
		x.digests = append(x.digests, one)
	}
	return nil
}
