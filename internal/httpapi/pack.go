package httpapi

import (
	"bytes"
	"net/http"
	"runtime"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// leastPacked is the size in bytes from which answers are compressed: smaller
// ones fit into one packet anyway.
const leastPacked = 1_200

// codings are what answers are compressed with, the best first.
var codings = []string{"zstd", "gzip"}

// packer compresses answers, as a whole and before they are sent: however many
// clients are slow, no more compressors are in use than there are processors.
type packer struct {
	zstd *zstd.Encoder
	// gzips are free compressors; whoever needs one waits for it.
	gzips chan *gzip.Writer
}

func newPacker() *packer {
	processors := runtime.GOMAXPROCS(0)
	p := &packer{gzips: make(chan *gzip.Writer, processors)}
	// Errors are those of options that do not exist.
	p.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(processors),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	for range processors {
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		p.gzips <- w
	}
	return p
}

// pack returns a body as a client wants it, and the name of the coding or "".
func (p *packer) pack(h http.Header, body []byte) (packed []byte, coding string) {
	if len(body) < leastPacked {
		return body, ""
	}
	switch coding := chooseCoding(h, codings...); coding {
	case "zstd":
		return p.zstd.EncodeAll(body, make([]byte, 0, len(body)/4)), coding
	case "gzip":
		return p.gzip(body), coding
	default:
		return body, ""
	}
}

func (p *packer) gzip(body []byte) []byte {
	w := <-p.gzips
	defer func() { p.gzips <- w }()
	packed := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	w.Reset(packed)
	// A buffer takes everything.
	_, _ = w.Write(body)
	_ = w.Close()
	return packed.Bytes()
}

// chooseCoding returns the coding that a client likes best among those
// offered, the first of equals, or "" for none. RFC 9110, section 12.5.3.
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
