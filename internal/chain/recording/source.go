package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"mintburn/internal/gunzip"
)

// maxWindow bounds the memory that a zstd frame may request. The zstd program has the
// same default.
const maxWindow = 128 << 20

// source is one file, or standard input.
type source struct {
	name  string
	stdin io.Reader // nil for a file
	// archive is true for an era1 or ere file.
	archive bool
}

// split opens s, passes its lines to the splitter, and counts the bytes read.
func (s source) split(read *atomic.Int64, lines splitter) error {
	in := s.stdin
	if in == nil {
		file, err := os.Open(s.name)
		if err != nil {
			return fmt.Errorf("opening recording: %w", err)
		}
		defer file.Close()
		in = file
	}
	text, err := decompress(io.TeeReader(in, counter{read}))
	if err != nil {
		return fmt.Errorf("%s:1: %w", s.name, err)
	}
	defer text.Close()
	if line, err := lines.split(text); err != nil {
		return fmt.Errorf("%s:%d: %w", s.name, line, err)
	}
	return nil
}

// counter counts the bytes written to it.
type counter struct{ *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.Add(int64(len(p)))
	return len(p), nil
}

// decompress detects gzip (RFC 1952) and zstd (RFC 8878) by their magic numbers;
// everything else is plain text. It fails for an archive, whose entries are read in another
// order than they are stored in.
func decompress(in io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(in, 128<<10)
	magic, err := buffered.Peek(entryHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case string(magic) == archiveBeginning:
		return nil, errors.New("got an era1 or ere archive from standard input or a pipe, want a file")
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gunzip.NewReader(buffered)
		if err != nil {
			return nil, decompressError("gzip", err)
		}
		return compressed{z, "gzip"}, nil
	case isZstd(magic):
		// Decode without extra goroutines: the parsers need the other CPUs.
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, decompressError("zstd", err)
		}
		return compressed{z.IOReadCloser(), "zstd"}, nil
	default:
		return io.NopCloser(buffered), nil
	}
}

// isZstd reports whether magic begins a zstd frame, or a skippable frame, which some
// programs write first.
func isZstd(magic []byte) bool {
	if len(magic) < 4 {
		return false
	}
	magic = magic[:4]
	skippable := magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18})
	return skippable || bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// compressed is a decompressing reader whose errors name the format.
type compressed struct {
	io.ReadCloser
	format string
}

func (c compressed) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = decompressError(c.format, err)
	}
	return n, err
}

// decompressError returns the error for truncated or damaged compressed data, or for a
// failed read.
func decompressError(format string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New(format + " data is truncated")
	}
	return fmt.Errorf("decompressing %s: %w", format, err)
}
