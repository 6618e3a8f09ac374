package read

import (
	"context"
	"fmt"

	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Indexed returns the indexed ranges of blocks, in order.
func (s *Snapshot) Indexed(ctx context.Context) ([]evm.Range, error) {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return nil, err
	}
	return known.indexed, nil
}

// coveredBy returns the blocks whose records are known.
func coveredBy(ctx context.Context, s *Snapshot) (*covered, error) {
	return database.Shared(ctx, s.Tx, coverage.KindIndexed, func(ctx context.Context) (*covered, error) {
		known := &covered{}
		err := s.Tx.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
			if i == 0 {
				known.indexed, err = tables.Ranges(ctx, s.Client(), coverage.KindIndexed)
			} else {
				known.start, err = deployment(ctx, s)
			}
			return err
		})
		return known, err
	})
}

// deployment returns the first block that may have a record: 0 if none was set, or if a
// record contradicts it.
func deployment(ctx context.Context, s *Snapshot) (uint64, error) {
	var start uint64
	found, err := GetSetting(ctx, s, tables.Deployment, &start)
	if err != nil || !found || start == 0 {
		return 0, err
	}
	var contradicted [2]bool
	err = s.Tx.Together(ctx, 2, func(ctx context.Context, i int) (err error) {
		of := query.Selection{Hi: tables.LastIn(start - 1), Limit: 1, Columns: []string{mint.FieldID}}
		text, args := s.StatementOf(&query.Query{Kind: [...]nft.Kind{nft.Mint, nft.Burn}[i]}, "exists", of)
		contradicted[i], err = s.Run(ctx, database.Statement{Text: text, Args: args, Read: Ignored})
		return err
	})
	if contradicted != [2]bool{} {
		start = 0
	}
	return start, database.Wrap(err, "looking for records before the deployment")
}

// WholeTo reports whether all records up to a block are known; nil means the last indexed
// block. A block that is not indexed is an [apierror.Error] with the code BLOCK_NOT_INDEXED.
func WholeTo(ctx context.Context, s *Snapshot, block *evm.Long) (bool, error) {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return false, err
	}
	return known.wholeTo(block)
}

// wholeTo is [WholeTo].
func (c *covered) wholeTo(block *evm.Long) (bool, error) {
	if len(c.indexed) == 0 {
		return false, notIndexed("nothing is indexed yet", nil, nil)
	}
	to := c.indexed[len(c.indexed)-1].To
	if block != nil {
		to = uint64(*block)
	}
	for _, r := range c.indexed {
		if r.From <= to && to <= r.To {
			return r.From <= c.start || to < c.start, nil
		}
	}
	return false, notIndexed(fmt.Sprintf("block %d is not indexed", to), c.indexed, []evm.Range{{From: to, To: to}})
}

// RequireNoHole returns an error for a query about all blocks if blocks are missing between
// the indexed ranges.
func RequireNoHole(ctx context.Context, s *Snapshot) error {
	known, err := coveredBy(ctx, s)
	switch {
	case err != nil:
		return err
	case len(known.indexed) == 0:
		return notIndexed("nothing is indexed yet", nil, nil)
	case len(known.indexed) > 1:
		return MayBeMissing(known.indexed)
	}
	return nil
}

// RequireWhole returns an error if missing blocks may contain a record of what, or if only
// some collections are indexed and address is not one of them.
func RequireWhole(ctx context.Context, s *Snapshot, what string, address evm.Address) error {
	known, err := coveredBy(ctx, s)
	if err != nil {
		return err
	}
	switch whole, err := known.wholeTo(nil); {
	case err != nil:
		return err
	case !whole:
		head := known.indexed[len(known.indexed)-1].To
		return notIndexed(fmt.Sprintf("%s has no record in the indexed blocks, and may have one in others", what), known.indexed,
			tables.Missing(known.indexed, evm.Range{From: known.start, To: head}))
	}
	return RequireContract(ctx, s, address)
}
