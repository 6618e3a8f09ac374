package chaintest

import (
	"encoding/json"
	"testing"
)

// RecordedBlock returns a recorded block of another chain, by its folder in the
// recorded data. See [Data].
func RecordedBlock(t testing.TB, folder string) Recorded {
	t.Helper()
	var blocks, receipts []json.RawMessage
	Parse(t, Unpacked(t, "chains/"+folder+"/blocks.json.gz"), &blocks)
	Parse(t, Unpacked(t, "chains/"+folder+"/receipts.json.gz"), &receipts)
	return Recorded{Block: blocks[0], Receipts: receipts}
}
