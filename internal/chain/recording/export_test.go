package recording

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
