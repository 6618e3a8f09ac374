package export

import (
	"bytes"
	"io"
	"strconv"
)

// csvWriter writes CSV as in RFC 4180, but with line feeds. Null is an empty field, an
// empty text is "".
type csvWriter[T any] struct {
	out     io.Writer
	columns []column[T]
	// names is set if a line with the column names is still to be written.
	names bool
	// lines and value are reused buffers.
	lines, value []byte
}

func (w *csvWriter[T]) write(rows []T) error {
	w.lines = w.lines[:0]
	if w.names && len(rows) > 0 {
		for i := range w.columns {
			w.lines = append(append(w.lines, w.columns[i].Name...), w.after(i))
		}
		w.names = false
	}
	for _, row := range rows {
		for i := range w.columns {
			w.field(&w.columns[i], row)
			w.lines = append(w.lines, w.after(i))
		}
		if err := drain(w.out, &w.lines, false); err != nil {
			return err
		}
	}
	return drain(w.out, &w.lines, true)
}

// after returns the separator after field i.
func (w *csvWriter[T]) after(i int) byte {
	if i == len(w.columns)-1 {
		return '\n'
	}
	return ','
}

// field appends a field of a row.
func (w *csvWriter[T]) field(c *column[T], row T) {
	if c.Kind == Integer {
		if n, some := c.integer(row); some {
			w.lines = strconv.AppendUint(w.lines, n, 10)
		}
		return
	}
	value, some := c.text(w.value[:0], row)
	w.value = value
	switch {
	case !some:
	case len(value) > 0 && (c.Kind != Text && c.Kind != Attributes || !bytes.ContainsAny(value, "\",\r\n \t")):
		w.lines = append(w.lines, value...)
	default:
		w.lines = append(append(append(w.lines, '"'), bytes.ReplaceAll(value, []byte(`"`), []byte(`""`))...), '"')
	}
}

func (w *csvWriter[T]) end(*string) error { return nil }
