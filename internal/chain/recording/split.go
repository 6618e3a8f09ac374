package recording

import (
	"bytes"
	"fmt"
	"io"
)

// chunkSize is the usual size of a chunk: large beside the cost of passing one
// between goroutines, small beside the cache.
const chunkSize = 256 << 10

// splitter splits text into chunks of whole lines.
type splitter struct {
	// maxLine is the longest line in bytes, its end not counted.
	maxLine int
	// buffer returns an empty buffer with a capacity of at least size bytes.
	buffer func(size int) []byte
	// emit takes lines, the first of which has number line, and their memory.
	emit func(line int, lines []byte) error
}

// split emits all lines of text; the last one may lack its end, and a byte order
// mark before the first is left out. At a read error it has emitted the whole
// lines before. It returns the number of the line at which the error is.
func (s splitter) split(text io.Reader) (line int, err error) {
	line = 1
	var rest []byte
	for {
		// No line longer than maxLine fits the buffer with its end, so that a
		// full buffer without a line end is the only sign to look for.
		limit := min(max(chunkSize, 2*len(rest)), s.maxLine+1)
		buf := append(s.buffer(limit), rest...)
		var readErr error
		for readErr == nil && len(buf) < limit {
			var n int
			n, readErr = text.Read(buf[len(buf):limit])
			buf = buf[:len(buf)+n]
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		if end == 0 && len(buf) > s.maxLine {
			return line, fmt.Errorf("the line is longer than %d bytes", s.maxLine)
		}
		if readErr == io.EOF {
			end = len(buf)
		}
		// The buffer is emitted, but only this goroutine fills buffers: rest is
		// intact until it has been copied.
		rest = buf[end:]
		if lines := buf[:end]; end > 0 {
			count := bytes.Count(lines, []byte{'\n'})
			if line == 1 {
				lines = bytes.TrimPrefix(lines, []byte("\xef\xbb\xbf"))
			}
			if err := s.emit(line, lines); err != nil {
				return line, err
			}
			line += count
		}
		if readErr == io.EOF {
			return line, nil
		}
		if readErr != nil {
			return line, readErr
		}
	}
}
