package metadata

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/gunzip"
)

// maxCodings is the maximum number of content codings of a document.
const maxCodings = 4

// readBody reads a document and unpacks it according to its Content-Encoding header. It
// fails for more than [MaxDocument] bytes, before, between and after unpacking; size is the
// length before, if known. It also unpacks gzip without a header, because storage services
// often lose the header. Of a picture it reads only the beginning.
func readBody(body io.Reader, encoding string, size int64) ([]byte, error) {
	names, err := codings(encoding)
	if err != nil {
		return nil, err
	}
	raw := &bounded{r: body, left: MaxDocument}
	unpacked := bufio.NewReader(raw)
	if magic, _ := unpacked.Peek(3); len(names) == 0 && bytes.Equal(magic, []byte{0x1F, 0x8B, 8}) {
		names = []string{"gzip"}
	}
	for _, name := range slices.Backward(names) {
		r, err := unpack(unpacked, name)
		if err != nil {
			return nil, cmp.Or(raw.err, err)
		}
		defer r.Close()
		unpacked = bufio.NewReader(&bounded{r: r, left: MaxDocument})
	}
	start, _ := unpacked.Peek(maxSniffed) // the error is met again
	if isPicture(start) {
		return start, nil
	}
	if size > MaxDocument {
		return nil, permanent("%v", errTooLarge())
	}
	document, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, cmp.Or(raw.err, err)
	}
	return document, nil
}

// codings returns the content codings of a Content-Encoding header (RFC 9110, section 8.4) in
// the order in which they were applied. It ignores names that are no coding, such as utf-8 and
// aws-chunked, and fails for codings that are not supported. Brotli is one of them: its
// windows can't be bounded.
func codings(header string) (names []string, err error) {
	for name := range strings.SplitSeq(strings.ToLower(header), ",") {
		switch name = strings.TrimSpace(name); name {
		case "gzip", "x-gzip", "deflate", "zstd":
			names = append(names, name)
		case "br", "compress", "x-compress", "dcb", "dcz", "exi", "aes128gcm", "pack200-gzip":
			return nil, permanent("the document has content encoding %q: want gzip, deflate or zstd", name)
		}
	}
	if len(names) > maxCodings {
		return nil, permanent("the document has %d content encodings: want at most %d", len(names), maxCodings)
	}
	return names, nil
}

// unpack returns a reader for the unpacked content of r. Its errors are failures.
func unpack(r *bufio.Reader, encoding string) (io.ReadCloser, error) {
	var unpacked io.ReadCloser
	var err error
	switch encoding {
	case "gzip", "x-gzip":
		unpacked, err = gunzip.NewReader(r)
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
	}
	if err != nil {
		return nil, unpackError(encoding, err)
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
		err = unpackError(p.encoding, err)
	}
	return n, err
}

// unpackError names the encoding in an error, unless a reader below has named its own.
func unpackError(encoding string, err error) error {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	return permanent("unpacking %s: %v", encoding, err)
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
