package database

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
)

// Row reads the values of a row from left to right, each once. Bytes share memory
// with the driver and are valid until the next row. After an error, all reads
// return zero values; Err returns the first error.
type Row struct {
	values []driver.Value
	next   int
	err    error
	// table and columns name the values from start on, for errors.
	table   string
	columns []string
	start   int
}

// Begin names the table and columns of the next values for error messages. It does not
// affect how they are read.
func (r *Row) Begin(table string, columns []string) {
	r.table, r.columns, r.start = table, columns, r.next
}

// Err returns the first error, which names the table and column of the value.
func (r *Row) Err() error { return r.err }

// Forgive clears the row's error, so that the next rows can be read.
func (r *Row) Forgive() { r.err = nil }

// Fail sets the row's error to err, with the name of the last read value, unless
// the row already has an error.
func (r *Row) Fail(err error) {
	if r.err != nil {
		return
	}
	if at := r.next - 1 - r.start; at >= 0 && at < len(r.columns) {
		r.err = fmt.Errorf("%s.%s: %w", r.table, r.columns[at], err)
		return
	}
	r.err = fmt.Errorf("value %d: %w", r.next, err)
}

// value returns the next value. It is small enough to be inlined, because a page calls
// it some hundred times.
func (r *Row) value() driver.Value {
	r.next++
	if r.next > len(r.values) {
		return r.beyond()
	}
	return r.values[r.next-1]
}

func (r *Row) beyond() driver.Value {
	r.Fail(fmt.Errorf("the row has %d values", len(r.values)))
	return nil
}

func (r *Row) wrongType(v driver.Value, want string) {
	if v == nil {
		r.Fail(fmt.Errorf("got null, want %s", want))
		return
	}
	r.Fail(fmt.Errorf("got %T, want %s", v, want))
}

// Int64 reads an integer.
func (r *Row) Int64() int64 {
	v := r.value()
	n, ok := v.(int64)
	if !ok {
		r.wrongType(v, "an integer")
	}
	return n
}

// Signed reads an integer from -most-1 to most.
func (r *Row) Signed(most int64) int64 {
	n := r.Int64()
	if n > most || n < -most-1 {
		r.Fail(fmt.Errorf("got %d, want %d to %d", n, -most-1, most))
		return 0
	}
	return n
}

// Unsigned reads an integer from 0 to most.
func (r *Row) Unsigned(most uint64) uint64 {
	n := r.Int64()
	if n < 0 || uint64(n) > most {
		r.Fail(fmt.Errorf("got %d, want 0 to %d", n, most))
		return 0
	}
	return uint64(n)
}

// Bytes reads a byte slice, which is valid until the next row.
func (r *Row) Bytes() []byte {
	v := r.value()
	b, ok := v.([]byte)
	if !ok {
		r.wrongType(v, "bytes")
	}
	return b
}

// Text reads a string.
func (r *Row) Text() string {
	v := r.value()
	text, ok := v.(string)
	if !ok {
		r.wrongType(v, "text")
	}
	return text
}

// Bool reads a boolean.
func (r *Row) Bool() bool {
	switch v := r.value().(type) {
	case bool:
		return v
	case int64: // SQLite
		return v != 0
	default:
		r.wrongType(v, "a boolean")
		return false
	}
}

// Value reads a value of any type. Bytes are valid until the next row.
func (r *Row) Value() driver.Value { return r.value() }

// Null reports whether the next value is null, and if so, skips it.
func (r *Row) Null() bool {
	if r.next >= len(r.values) || r.values[r.next] != nil {
		return false
	}
	r.next++
	return true
}

// Skip skips n values.
func (r *Row) Skip(n int) { r.next += n }

// Scan reads a value, which must not be null, with a Scan method, which must copy bytes.
func (r *Row) Scan(to sql.Scanner) {
	v := r.value()
	if v == nil {
		r.wrongType(v, "a value")
		return
	}
	if err := to.Scan(v); err != nil {
		r.Fail(err)
	}
}

// Values reads all values of a row. Each of dest is a [sql.Scanner] or a pointer to an
// int64, int, uint64, bool, string or []byte (which is copied). It is for rows that do not
// hold one entity.
func (r *Row) Values(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("got %d values, want %d", len(r.values), len(dest))
	}
	for _, to := range dest {
		switch to := to.(type) {
		case sql.Scanner:
			r.Scan(to)
		case *int64:
			*to = r.Int64()
		case *int:
			*to = int(r.Signed(math.MaxInt))
		case *uint64:
			*to = r.Unsigned(math.MaxInt64)
		case *bool:
			*to = r.Bool()
		case *string:
			*to = r.Text()
		case *[]byte:
			*to = bytes.Clone(r.Bytes())
		default:
			return fmt.Errorf("internal error: no value is read into %T", to)
		}
	}
	return r.err
}

// EqualPointers reports whether both pointers are nil or point to equal values.
func EqualPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
