package recording_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/chain/recording"
	"mintburn/internal/testing/chaintest"
)

// BenchmarkLine measures parsing on one CPU, in bytes of text.
func BenchmarkLine(b *testing.B) {
	real := chaintest.RealBlocks(b)[0]
	receipts, err := json.Marshal(real.Receipts)
	if err != nil {
		b.Fatal(err)
	}
	generated := func() []byte {
		o := chaintest.Default()
		o.NoiseShare = 0.3
		for block := range chaintest.Blocks(o) {
			return block.AppendLine(nil)
		}
		return nil
	}
	for _, c := range []struct {
		name string
		line []byte
	}{
		{"real logs", fmt.Appendf(nil, `{"block":%s,"logs":%s}`, headerOnly(b, real.Block), real.Logs)},
		{"real receipts and transactions", fmt.Appendf(nil, `{"block":%s,"receipts":%s}`, real.Block, receipts)},
		{"real transactions only", fmt.Appendf(nil, `{"block":%s,"logs":[]}`, real.Block)},
		{"generated", generated()},
	} {
		b.Run(c.name, func(b *testing.B) {
			decode := recording.NewLineDecoder()
			b.SetBytes(int64(len(c.line)))
			b.ReportAllocs()
			logs := 0
			for b.Loop() {
				item, err := decode(c.line)
				if err != nil {
					b.Fatal(err)
				}
				logs += len(item.Block.Logs)
			}
			b.ReportMetric(float64(logs)/b.Elapsed().Seconds(), "logs/s")
		})
	}
}

// BenchmarkRecording measures reading files on all CPUs, in bytes of uncompressed text.
func BenchmarkRecording(b *testing.B) {
	var plain bytes.Buffer
	stats, err := chaintest.WriteRecording(&plain, chaintest.Default())
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(plain.Bytes())
	z.Close()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		bytes      int64
	}{
		{"plain", write("plain", plain.Bytes()), stats.Bytes},
		{"gzip", write("gzip", zipped.Bytes()), stats.Bytes},
		{"zstd", write("zstd", encoder.EncodeAll(plain.Bytes(), nil)), stats.Bytes},
		{"chain-a bundle", chaintest.Data(b, "chain-a/bundle.ndjson.gz"), int64(len(chaintest.Unpacked(b, "chain-a/bundle.ndjson.gz")))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.bytes)
			b.ReportAllocs()
			logs := 0
			for b.Loop() {
				r, err := recording.Open([]string{c.path}, nil)
				if err != nil {
					b.Fatal(err)
				}
				for item, err := range r.Items(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					logs += len(item.Block.Logs)
				}
			}
			b.ReportMetric(float64(logs)/b.Elapsed().Seconds(), "logs/s")
		})
	}
}

// headerOnly returns the header fields that are read.
func headerOnly(b *testing.B, block []byte) []byte {
	h := wantHeader(b, block)
	return fmt.Appendf(nil, `{"number":%d,"hash":%q,"parentHash":%q,"timestamp":%d}`, h.Number, h.Hash, h.ParentHash, h.Time)
}
