package export

import (
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// ndjsonWriter writes one JSON object per line.
type ndjsonWriter[T any] struct {
	out     io.Writer
	columns []column[T]
	// lines and value are reused buffers.
	lines, value []byte
}

func (w *ndjsonWriter[T]) write(rows []T) error {
	w.lines = w.lines[:0]
	for _, row := range rows {
		for i := range w.columns {
			if err := w.field(i, row); err != nil {
				return err
			}
		}
		w.lines = append(w.lines, '}', '\n')
		if err := drain(w.out, &w.lines, false); err != nil {
			return err
		}
	}
	return drain(w.out, &w.lines, true)
}

// field appends a field of a row.
func (w *ndjsonWriter[T]) field(i int, row T) (err error) {
	c := &w.columns[i]
	before := byte(',')
	if i == 0 {
		before = '{'
	}
	w.lines = append(append(append(w.lines, before, '"'), c.Name...), '"', ':')
	if c.Kind == Integer {
		w.lines = strconv.AppendUint(w.lines, c.integer(row), 10)
		return nil
	}
	value, some := c.text(w.value[:0], row)
	w.value = value
	switch {
	case !some:
		w.lines = append(w.lines, "null"...)
	case c.Kind == JSON:
		w.lines = append(w.lines, value...)
	case c.Kind == Text:
		w.lines, err = jsontext.AppendQuote(w.lines, value)
	default:
		// Values of the other kinds never need escaping.
		w.lines = append(append(append(w.lines, '"'), value...), '"')
	}
	return err
}

func (w *ndjsonWriter[T]) end(*string) error { return nil }

// drained is the number of buffered bytes from which drain writes them.
const drained = 64 << 10

// drain writes the buffered lines and empties the buffer if it is large or if all is set.
func drain(out io.Writer, lines *[]byte, all bool) error {
	if len(*lines) < drained && !all {
		return nil
	}
	_, err := out.Write(*lines)
	*lines = (*lines)[:0]
	return err
}
