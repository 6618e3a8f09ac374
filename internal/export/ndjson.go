package export

import (
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/store"
)

// ndjsonWriter writes one JSON object per line.
type ndjsonWriter[T any] struct {
	out     io.Writer
	columns []column[T]
	lines   lineBuffer
}

func (w *ndjsonWriter[T]) write(rows []T) error {
	w.lines.text = w.lines.text[:0]
	for _, row := range rows {
		if err := appendObject(&w.lines, w.columns, row); err != nil {
			return err
		}
		w.lines.text = append(w.lines.text, '\n')
		if err := drain(w.out, &w.lines.text, false); err != nil {
			return err
		}
	}
	return drain(w.out, &w.lines.text, true)
}

// Proved writes mints and burns as NDJSON, with the columns that receipts prove: no receipt has the
// hash of its transaction, and an id is the position in a database. It returns the errors of out.
func Proved(out io.Writer, records []*store.Transfer) error {
	columns := slices.DeleteFunc(slices.Clone(transferColumns), func(c column[*store.Transfer]) bool {
		return c.Name == "transaction_hash" || c.Name == "id"
	})
	return (&ndjsonWriter[*store.Transfer]{out: out, columns: columns}).write(records)
}

// lineBuffer holds lines that are not written yet. value is reused for single values.
type lineBuffer struct{ text, value []byte }

// appendObject appends a row as a JSON object.
func appendObject[T any](l *lineBuffer, columns []column[T], row T) error {
	before := byte('{')
	for i := range columns {
		l.text = append(append(append(l.text, before, '"'), columns[i].Name...), '"', ':')
		if err := appendValue(l, &columns[i], row); err != nil {
			return err
		}
		before = ','
	}
	l.text = append(l.text, '}')
	return nil
}

// Line returns a mint or burn as a line of NDJSON without its id and line end.
func Line(t *store.Transfer) (string, error) {
	var l lineBuffer
	err := appendObject(&l, transferColumns[:len(transferColumns)-1], t)
	return string(l.text), err
}

// appendValue appends the value of a column.
func appendValue[T any](l *lineBuffer, c *column[T], row T) (err error) {
	if c.Kind == Integer {
		if n, some := c.integer(row); some {
			l.text = strconv.AppendUint(l.text, n, 10)
		} else {
			l.text = append(l.text, "null"...)
		}
		return nil
	}
	value, some := c.text(l.value[:0], row)
	l.value = value
	switch {
	case !some:
		l.text = append(l.text, "null"...)
	case c.Kind == Attributes:
		l.text = append(l.text, value...)
	case c.Kind == Text:
		l.text, err = jsontext.AppendQuote(l.text, value)
	default:
		// Values of the other kinds never need escaping.
		l.text = append(append(append(l.text, '"'), value...), '"')
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
