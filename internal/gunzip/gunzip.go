package gunzip

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

type reader struct {
	in *bufio.Reader
	*gzip.Reader
}

// NewReader returns a reader of the decompressed content of in. It fails if in does not begin
// with a gzip header.
func NewReader(in *bufio.Reader) (io.ReadCloser, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &reader{in, z}, nil
}

// Read implements [io.Reader]. It fails if anything but zeros and members follows a member.
func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.Reader.Read(p)
		if n > 0 || len(p) == 0 || !errors.Is(err, io.EOF) {
			return n, ignoreEOF(err)
		}
		next := byte(0)
		for next == 0 {
			if next, err = r.in.ReadByte(); err != nil {
				return 0, err
			}
		}
		if err := errors.Join(r.in.UnreadByte(), r.Reset(r.in)); err != nil {
			return 0, err
		}
		r.Multistream(false)
	}
}

// ignoreEOF returns nil for the end of a member, which the next read meets again.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
