package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// chunkSize is the usual size of a chunk: large compared with the cost of passing one
// between goroutines, small compared with the CPU cache.
const chunkSize = 256 << 10

// splitter splits text into chunks of complete lines.
type splitter struct {
	// maxLine is the longest line in bytes, without its line end.
	maxLine int
	// buffer returns an empty buffer with a capacity of at least size bytes.
	buffer func(size int) []byte
	// emit receives lines, the first of which has number line, and owns their memory.
	emit func(line int, lines []byte) error
}

// split emits all lines of text. The last line may lack its line end; a byte order mark
// before the first is dropped. Before it returns a read error, it emits the complete lines
// read so far. It returns the number of the line with the error.
func (s splitter) split(text io.Reader) (line int, err error) {
	line = 1
	var rest []byte
	// begun are the full buffers of a long line, held their bytes. Buffers that grow would take several
	// times the memory of a line that is refused.
	var begun [][]byte
	held := 0
	for {
		// A line longer than maxLine does not fit the buffers with its line end, so full
		// buffers without a line end are the only sign of one.
		limit := min(chunkSize, s.maxLine+1-held)
		buf := append(s.buffer(limit), rest...)
		var readErr error
		for readErr == nil && len(buf) < limit {
			var n int
			n, readErr = text.Read(buf[len(buf):limit])
			buf = buf[:len(buf)+n]
		}
		if line == 1 && held == 0 && isUTF16(buf) {
			return line, errors.New("got UTF-16, want UTF-8")
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		if end == 0 && held+len(buf) > s.maxLine {
			return line, fmt.Errorf("the line is longer than %d bytes", s.maxLine)
		}
		if readErr == io.EOF {
			end = len(buf)
		}
		// The emitted buffer may be released, but only this goroutine fills buffers, so
		// rest stays intact until it is copied.
		rest = buf[end:]
		if end == 0 && readErr == nil {
			begun, held, rest = append(begun, buf), held+len(buf), nil
			continue
		}
		lines := buf[:end]
		if held > 0 && (end > 0 || readErr == io.EOF) {
			lines = slices.Concat(append(begun, lines)...)
			begun, held = nil, 0
		}
		if len(lines) > 0 {
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

// isUTF16 reports whether text begins with a byte order mark of UTF-16, or with its brace.
func isUTF16(text []byte) bool {
	return slices.ContainsFunc([]string{"\xff\xfe", "\xfe\xff", "{\x00", "\x00{"}, func(begin string) bool { return bytes.HasPrefix(text, []byte(begin)) })
}
