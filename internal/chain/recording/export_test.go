package recording

// SetMaxLine lowers the bound on lines.
func (r *Recording) SetMaxLine(n int) { r.maxLine = n }

// ReadAhead bounds how far reading is ahead of the items, in bytes of text: the
// waiting chunks, the one being filled, and the one being read.
const ReadAhead = readAhead + 4*chunkSize

// NewLineDecoder returns a function that reads one line.
func NewLineDecoder() func(line []byte) (Item, error) {
	d := newDecoder()
	return func(line []byte) (item Item, err error) {
		err = d.decode(line, &item)
		return item, err
	}
}
