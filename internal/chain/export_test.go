package chain

// SetMaxLine lowers the bound on lines.
func (r *Recording) SetMaxLine(n int) { r.maxLine = n }

// ReadAhead bounds how far reading is ahead of the items, in bytes of text:
// what waits, the chunk being filled, and that being taken.
const ReadAhead = readAhead + 4*chunkSize

// NewLineDecoder returns a function that reads one line, for fuzzing and
// benchmarks.
func NewLineDecoder() func(line []byte) (Item, error) {
	d := newDecoder()
	return func(line []byte) (item Item, err error) {
		err = d.decode(line, &item)
		return item, err
	}
}
