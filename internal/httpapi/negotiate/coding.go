package negotiate

import (
	"bytes"
	"io"
	"net/http"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Codings are the supported content codings, for [ChooseCoding]. gzip wins over zstd at the same
// weight, because some clients accept zstd by default and cannot decode it.
var Codings = []string{"gzip", "zstd"}

// ChooseCoding returns the offered coding that a client prefers, the first at equal weights,
// or "" for none. RFC 9110, section 12.5.3.
func ChooseCoding(h http.Header, offered ...string) string {
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

// minCompressed is the size in bytes of the smallest compressed answer. Smaller ones fit into
// one packet anyway.
const minCompressed = 1_200

// zstdOptions are the options of the encoders.
var zstdOptions = []zstd.EOption{
	zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1 << 20), zstd.WithEncoderConcurrency(1),
}

// Compressors holds the idle compressors, of each kind one per processor. They compress
// whole answers before they are sent, so slow clients do not occupy them. They are safe for
// concurrent use.
type Compressors struct {
	zstds chan *zstd.Encoder
	gzips chan *gzip.Writer
}

// NewCompressors returns the compressors for as many processors as the program may use now.
func NewCompressors() *Compressors {
	processors := runtime.GOMAXPROCS(0)
	p := &Compressors{zstds: make(chan *zstd.Encoder, processors), gzips: make(chan *gzip.Writer, processors)}
	for range processors {
		// These functions fail only on invalid options.
		z, _ := zstd.NewWriter(nil, zstdOptions...)
		g, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		p.zstds <- z
		p.gzips <- g
	}
	return p
}

// Compress returns the parts of a body in the client's preferred coding, and the coding's
// name. The name is "" if the body has less than 1,200 bytes or the client prefers it
// uncompressed. Compress waits for an idle compressor.
func (p *Compressors) Compress(h http.Header, parts ...[]byte) (compressed []byte, coding string) {
	length := LengthOf(parts)
	if length < minCompressed {
		return nil, ""
	}
	switch coding := ChooseCoding(h, Codings...); coding {
	case "zstd":
		w := <-p.zstds
		defer func() { p.zstds <- w }()
		if len(parts) == 1 {
			return w.EncodeAll(parts[0], make([]byte, 0, length/4)), coding
		}
		return compressInto(w, parts, length), coding
	case "gzip":
		w := <-p.gzips
		defer func() { p.gzips <- w }()
		return compressInto(w, parts, length), coding
	default:
		return nil, ""
	}
}

// compressor encodes one of the codings.
type compressor interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// compressInto compresses the parts of a body with w.
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

// LengthOf returns the length of all parts together, in bytes.
func LengthOf(parts [][]byte) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}
