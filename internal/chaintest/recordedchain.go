package chaintest

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// RecordedBlock returns a recorded block of another chain, by its folder in the
// shared data.
func RecordedBlock(t testing.TB, folder string) Recorded {
	t.Helper()
	dir := Data(t, filepath.Join("chains", folder))
	var blocks, receipts []json.RawMessage
	for name, to := range map[string]any{"blocks.json.gz": &blocks, "receipts.json.gz": &receipts} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		text, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(text).Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	return Recorded{Block: blocks[0], Receipts: receipts}
}
