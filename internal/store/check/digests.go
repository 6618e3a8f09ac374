package check

import (
	"context"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/read"
)

// checkDigests compares the digests with the records, and with each other. It repairs none: the row
// tells what the records were.
func checkDigests(ctx context.Context, c *checker) error {
	for level := 1; level <= digest.Levels; level++ {
		for from, more := uint64(0), true; more; {
			before := from
			err := c.read(ctx, func(s *read.Snapshot) (err error) {
				from, more, err = digest.Of(s.Tx, s.Client()).Compare(ctx, level, from, func(in evm.Range, kind nft.Kind) {
					c.differ("blocks %d to %d: %ss differ from their digest; verify --repair --from-block %[1]d --to-block %[2]d restores them", in.From, in.To, kind)
				})
				return err
			})
			if err != nil {
				return err
			}
			if more && level == 1 {
				c.compared(min(int64(from-before), checkPage/2))
			}
		}
	}
	return nil
}
