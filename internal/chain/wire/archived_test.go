package wire_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"mintburn/internal/chain/wire"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// FuzzArchivedBlock checks that no text makes ArchivedBlock panic, and that its logs are valid.
func FuzzArchivedBlock(f *testing.F) {
	_, blocks, receipts := chaintest.ChainA(f)
	for i := 36; i < 40; i++ {
		var texts [3][]byte
		for j, value := range []any{blocks[i].Header(), blocks[i].Body(), receipts[i]} {
			var err error
			texts[j], err = rlp.EncodeToBytes(value)
			expect.NoError(f, err)
		}
		f.Add(texts[0], texts[1], texts[2], false)
	}
	f.Fuzz(func(t *testing.T, header, body, receipts []byte, slim bool) {
		block, err := wire.ArchivedBlock(header, body, receipts, slim)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			return
		}
		for _, log := range block.Logs {
			if len(log.Topics) > 4 || log.TxHash.IsZero() {
				t.Errorf("log %v", log)
			}
		}
	})
}
