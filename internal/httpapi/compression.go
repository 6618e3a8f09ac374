package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// minCompressed is the size in bytes of the smallest compressed answer: smaller
// ones fit into one packet anyway.
const minCompressed = 1_200

// codings are the content codings of answers. Of equal weights the first wins,
// because some clients accept zstd by default and cannot read it.
var codings = []string{"gzip", "zstd"}

// zstdOptions are the options of all encoders.
var zstdOptions = []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1 << 20)}

// compressors compress whole answers before they are sent. However many clients
// are slow, at most one compressor runs on each processor.
type compressors struct {
	zstd *zstd.Encoder
	// gzips has the free compressors.
	gzips chan *gzip.Writer
}

func newCompressors() *compressors {
	processors := runtime.GOMAXPROCS(0)
	p := &compressors{gzips: make(chan *gzip.Writer, processors)}
	// The only errors are unknown options.
	p.zstd, _ = zstd.NewWriter(nil, append(zstdOptions, zstd.WithEncoderConcurrency(processors))...)
	for range processors {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		p.gzips <- w
	}
	return p
}

// compress returns the parts of a body in the coding that a client prefers, and the
// coding's name, or "" if the client prefers the body uncompressed.
func (p *compressors) compress(h http.Header, parts ...[]byte) (compressed []byte, coding string) {
	length := lengthOf(parts)
	if length < minCompressed {
		return nil, ""
	}
	switch coding := chooseCoding(h, codings...); coding {
	case "zstd":
		if len(parts) == 1 {
			return p.zstd.EncodeAll(parts[0], make([]byte, 0, length/4)), coding
		}
		// The only errors are unknown options.
		w, _ := zstd.NewWriter(nil, append(zstdOptions, zstd.WithEncoderConcurrency(1))...)
		return compressInto(w, parts, length), coding
	case "gzip":
		w := <-p.gzips
		defer func() { p.gzips <- w }()
		return compressInto(w, parts, length), coding
	default:
		return nil, ""
	}
}

// compressor writes one of the codings.
type compressor interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// compressInto returns the compressed parts of a body.
func compressInto(w compressor, parts [][]byte, length int) []byte {
	compressed := bytes.NewBuffer(make([]byte, 0, length/4))
	w.Reset(compressed)
	for _, part := range parts {
		// Writing to a buffer cannot fail.
		_, _ = w.Write(part)
	}
	_ = w.Close()
	return compressed.Bytes()
}

// chooseCoding returns the offered coding that a client prefers, the first of
// equals, or "" for none. RFC 9110, section 12.5.3.
func chooseCoding(h http.Header, offered ...string) string {
	weights := make(map[string]float64, len(offered))
	anything, any := 0.0, false
	eachWeighted(h.Values("Accept-Encoding"), func(name, _ string, weight float64) {
		if name == "*" {
			anything, any = weight, true
			return
		}
		weights[name] = weight
	})
	best, most := "", 0.0
	for _, name := range offered {
		weight, named := weights[name]
		if !named && any {
			weight = anything
		}
		if weight > most {
			best, most = name, weight
		}
	}
	return best
}
