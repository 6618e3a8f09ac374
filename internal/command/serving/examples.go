package serving

import (
	"context"
	"errors"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/store"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// Examples returns values for the example tabs of the page.
func Examples(ctx context.Context, s *write.DB) (shown page.Examples, err error) {
	snapshot := store.NewSnapshot(s.Snapshot())
	defer func() {
		if err = errors.Join(err, snapshot.Close()); read.IsLost(err) {
			// The page works without examples.
			err = nil
		}
	}()
	found, err := snapshot.Examples(ctx)
	if err != nil {
		return shown, err
	}
	if m := found.Mint; m != nil {
		number := evm.Long(m.Block.Number)
		shown.BlockNumber, shown.MintAddress, shown.MintTx = &number, &m.Contract, &m.TxHash
	}
	if b := found.Burn; b != nil {
		to := evm.Long(b.Block.Number)
		// From up to 1,000 blocks earlier, but within one indexed range.
		chain, err := snapshot.Chain(ctx)
		if err != nil {
			return shown, err
		}
		from := to
		for _, r := range chain.Indexed {
			if r.From <= uint64(to) && uint64(to) <= r.To {
				from = evm.Long(max(r.From, uint64(to)-min(uint64(to), 1000)))
			}
		}
		shown.BurnAddress, shown.FromBlock, shown.ToBlock = &b.Contract, &from, &to
		shown.BurnTokenAddress, shown.BurnTokenID = &b.Contract, &b.TokenID
	}
	shown.MetadataAddress = found.Collection
	return shown, nil
}
