package chain

import (
	"bytes"
	"fmt"
	"io"
)

// chunkSize is the usual size of a chunk: large beside the cost of passing one
// between goroutines, small beside the cache.
const chunkSize = 256 << 10

// cutter cuts text into runs of whole lines.
type cutter struct {
	// maxLine is the longest line in bytes, its end not counted.
	maxLine int
	// buffer returns an empty buffer with room for at least size bytes.
	buffer func(size int) []byte
	// emit takes over lines, the first of which has number line.
	emit func(line int, lines []byte) error
}

// cut emits all lines of text; the last one may lack its end, and a byte order
// mark before the first is left out. At an error in reading it has emitted the
// whole lines before. It returns the number of the line at which an error
// stands.
func (c cutter) cut(text io.Reader) (line int, err error) {
	line = 1
	var rest []byte
	for {
		// No line longer than maxLine fits the buffer with its end, so that a
		// full buffer without a line end is the only sign to look for.
		limit := min(max(chunkSize, 2*len(rest)), c.maxLine+1)
		buf := append(c.buffer(limit), rest...)
		var readErr error
		for readErr == nil && len(buf) < limit {
			var n int
			n, readErr = text.Read(buf[len(buf):limit])
			buf = buf[:len(buf)+n]
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		if end == 0 && len(buf) > c.maxLine {
			return line, fmt.Errorf("the line is longer than %d bytes", c.maxLine)
		}
		if readErr == io.EOF {
			end = len(buf)
		}
		// Its buffer is emitted, but nobody else fills buffers: it stays as it is
		// until it has been copied.
		rest = buf[end:]
		if lines := buf[:end]; end > 0 {
			count := bytes.Count(lines, []byte{'\n'})
			if line == 1 {
				lines = bytes.TrimPrefix(lines, []byte("\xef\xbb\xbf"))
			}
			if err := c.emit(line, lines); err != nil {
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
