package metadata

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// readBody reads a document that was sent in an encoding (a Content-Encoding
// header), at most [MaxDocument] bytes as sent and as many unpacked. What is
// gzip although no header says so is unpacked, too: storage often loses the
// header.
//
// Brotli is not read: requests do not accept it, and its windows can't be bounded.
func readBody(body io.Reader, encoding string) ([]byte, error) {
	raw := &bounded{r: body, left: MaxDocument}
	buffered := bufio.NewReader(raw)
	encoding = strings.ToLower(strings.TrimSpace(encoding))
	if encoding == "" || encoding == "identity" {
		if magic, _ := buffered.Peek(3); bytes.Equal(magic, []byte{0x1F, 0x8B, 8}) {
			encoding = "gzip"
		}
	}
	unpacked, err := unpack(buffered, encoding)
	if err == nil {
		defer unpacked.Close()
		var document []byte
		if document, err = io.ReadAll(&bounded{r: unpacked, left: MaxDocument}); err == nil {
			return document, nil
		}
	}
	if raw.err != nil {
		return nil, raw.err
	}
	return nil, err
}

// unpack returns a reader of what is in r. Its errors are failures.
func unpack(r *bufio.Reader, encoding string) (io.ReadCloser, error) {
	var unpacked io.ReadCloser
	var err error
	switch encoding {
	case "", "identity":
		return io.NopCloser(r), nil
	case "gzip", "x-gzip":
		unpacked, err = gzip.NewReader(r)
	case "deflate":
		// By the standard it is zlib; some servers send bare deflate.
		if head, _ := r.Peek(2); len(head) == 2 && head[0]&0xF == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			unpacked, err = zlib.NewReader(r)
		} else {
			unpacked = flate.NewReader(r)
		}
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err == nil {
			unpacked = d.IOReadCloser()
		}
	default:
		return nil, permanent("the document is sent in the encoding %q: gzip, deflate and zstd are read", encoding)
	}
	if err != nil {
		return nil, permanent("unpacking %s: %v", encoding, err)
	}
	return packed{unpacked, encoding}, nil
}

// packed is a reader of compressed data, which its errors name.
type packed struct {
	io.ReadCloser
	encoding string
}

// Read implements [io.Reader].
func (p packed) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = permanent("unpacking %s: %v", p.encoding, err)
	}
	return n, err
}

// bounded is a reader that fails after more than left bytes, and keeps its last
// error.
type bounded struct {
	r    io.Reader
	left int
	err  error
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	// One byte more than is left tells a full document from too large a one.
	n, err := b.r.Read(p[:min(len(p), b.left+1)])
	if n > b.left {
		n, err = b.left, permanent("%v", errTooLarge())
	}
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
