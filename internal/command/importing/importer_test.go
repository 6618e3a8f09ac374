package importing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// TestImporter_FullBatch decodes the items that fill a batch, and one more that must
// be in the next batch. A full batch is sent before the recording ends. Waiting for the
// next one ends with ctx.
func TestImporter_FullBatch(t *testing.T) {
	t.Parallel()
	transfer, err := evm.ParseHash("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
	expect.NoError(t, err)
	mint := evm.Log{Topics: []evm.Hash{transfer, {}, {31: 1}, {31: 2}}}
	block, mints := recording.Item{Block: new(evm.Block)}, recording.Item{Block: &evm.Block{Logs: []evm.Log{mint}}}
	document := recording.Item{Document: &nft.Document{Raw: fmt.Sprintf(`{"name":%q}`, strings.Repeat("x", fullDocuments/4-len(`{"name":""}`)))}}
	for name, c := range map[string]struct {
		fill []recording.Item
		full int
	}{
		"records":        {[]recording.Item{mints}, 1},
		"blocks":         {slices.Repeat([]recording.Item{block}, fullBlocks), 1},
		"document bytes": {slices.Repeat([]recording.Item{document}, 4), 1},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				items, batches, ended := make(chan recording.Item), make(chan batch), make(chan error)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { ended <- (&Importer{Full: c.full}).decode(ctx, items, batches) }()
				for _, item := range c.fill {
					items <- item
				}
				go func() { items <- c.fill[0] }()
				if got := <-batches; len(got.blocks)+len(got.documents) != len(c.fill) {
					t.Fatalf("%d blocks and %d documents in a batch, want %d in all", len(got.blocks), len(got.documents), len(c.fill))
				}
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want that of ctx", err)
				}
				if len(c.fill) > 1 {
					break
				}
			}
		})
	}
}
