package recording

import (
	"bytes"

	"github.com/klauspost/compress/snappy"
)

// SetMaxLine lowers the maximum length of a line.
func (r *Recording) SetMaxLine(n int) { r.maxLine = n }

// ReadAhead bounds how far reading is ahead of the items, in bytes of text. It covers the
// waiting chunks, the chunk being filled, and the chunk being read.
const ReadAhead = readAhead + 4*chunkSize

// NewLineDecoder returns a function that parses one line.
func NewLineDecoder() func(line []byte) (Item, error) {
	d := newDecoder()
	return func(line []byte) (item Item, err error) {
		err = d.decode(line, &item)
		return item, err
	}
}

// ReadArchive reads the blocks of an archive up to the first error.
func ReadArchive(file []byte) (items []Item, err error) {
	a, err := scanArchive(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	for i := range a.headers {
		text, block, err := a.read(i, snappy.NewReader(nil), nil)
		if err != nil {
			return items, err
		}
		next, err := block.items(&chunk{text: text})
		if err != nil {
			return items, err
		}
		items = append(items, next...)
	}
	return items, nil
}
