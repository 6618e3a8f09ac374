package chain_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/chain"
	"mintburn/internal/chaintest"
)

// BenchmarkLine measures one CPU. The rate is that of the text.
func BenchmarkLine(b *testing.B) {
	real := samples(b)[0]
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
		{"real logs", fmt.Appendf(nil, `{"block":%s,"logs":%s}`, text(b, headerOnly(real)), real.logs)},
		{"real receipts and transactions", fmt.Appendf(nil, `{"block":%s,"receipts":%s}`, real.block, real.receipts)},
		{"real transactions only", fmt.Appendf(nil, `{"block":%s,"logs":[]}`, real.block)},
		{"generated", generated()},
	} {
		b.Run(c.name, func(b *testing.B) {
			decode := chain.NewLineDecoder()
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

// BenchmarkRecording measures whole files on all CPUs. The rate is that of the
// text, not of the file.
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
		{"chain-a bundle", chaintest.Data(b, "chain-a/bundle.ndjson.gz"), int64(len(shared(b, "chain-a/bundle.ndjson.gz")))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.bytes)
			b.ReportAllocs()
			logs := 0
			for b.Loop() {
				r, err := chain.Open([]string{c.path}, nil)
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
func headerOnly(s sample) map[string]any {
	header := map[string]any{}
	for _, name := range []string{"number", "hash", "parentHash", "timestamp"} {
		header[name] = s.header[name]
	}
	return header
}
