package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"mintburn/internal/chaintest"
)

// BenchmarkImport loads 1,000,000 records into a fresh database: reading,
// decoding, all indexes and counters, as the command does it.
func BenchmarkImport(b *testing.B) {
	const blocks, perBlock = 20_000, 50
	o := chaintest.Default()
	o.Blocks, o.Records, o.Collections, o.Accounts = blocks, perBlock, 2_000, 200_000
	recording := filepath.Join(b.TempDir(), "recording.ndjson")
	file, err := os.Create(recording)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := chaintest.WriteRecording(file, o); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		db := filepath.Join(b.TempDir(), "bench.db")
		importInto(b, db, nil, recording)
		info, err := os.Stat(db)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/(blocks*perBlock), "bytes/record")
	}
	b.ReportMetric(float64(b.N*blocks*perBlock)/b.Elapsed().Seconds(), "records/s")
}
