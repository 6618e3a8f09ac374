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

// readBody reads a document and unpacks it according to its Content-Encoding header. It
// fails for more than [MaxDocument] bytes, both before and after unpacking; size is the
// length before, if known. It also unpacks gzip without a header, because storage services
// often lose the header. Of a picture it reads only the beginning.
//
// It does not support Brotli: requests do not accept it, and its windows can't be bounded.
func readBody(body io.Reader, encoding string, size int64) ([]byte, error) {
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
		document := bufio.NewReaderSize(unpacked, maxSniffed)
		start, _ := document.Peek(maxSniffed) // the error is met again
		if isPicture(start) {
			return start, nil
		}
		if size > MaxDocument {
			return nil, permanent("%v", errTooLarge())
		}
		var whole []byte
		if whole, err = io.ReadAll(&bounded{r: document, left: MaxDocument}); err == nil {
			return whole, nil
		}
	}
	if raw.err != nil {
		return nil, raw.err
	}
	return nil, err
}

// unpack returns a reader for the unpacked content of r. Its errors are failures.
func unpack(r *bufio.Reader, encoding string) (io.ReadCloser, error) {
	var unpacked io.ReadCloser
	var err error
	switch encoding {
	case "", "identity":
		return io.NopCloser(r), nil
	case "gzip", "x-gzip":
		unpacked, err = gzip.NewReader(r)
	case "deflate":
		// The standard means zlib, but some servers send raw deflate.
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
		return nil, permanent("the document has content encoding %q: want gzip, deflate or zstd", encoding)
	}
	if err != nil {
		return nil, permanent("unpacking %s: %v", encoding, err)
	}
	return packed{unpacked, encoding}, nil
}

// packed is a reader of compressed data whose errors name the encoding.
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

// bounded is a reader that fails after more than left bytes and keeps its last
// error.
type bounded struct {
	r    io.Reader
	left int
	err  error
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	// Reading one extra byte distinguishes a document of the maximum size from a larger one.
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
