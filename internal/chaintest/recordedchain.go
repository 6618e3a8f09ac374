package chaintest

import (
	"encoding/json"
	"testing"
)

// RecordedBlock returns a recorded block of another chain, by its folder in the
// recorded data. See [Data].
func RecordedBlock(t testing.TB, folder string) Recorded {
	t.Helper()
	list := func(name string) []json.RawMessage { return Values[[]json.RawMessage](t, "chains/"+folder+"/"+name)[0] }
	return Recorded{Block: list("blocks.json.gz")[0], Receipts: list("receipts.json.gz")}
}
