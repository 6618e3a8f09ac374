package database

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// Driver returns an ent driver that reads the snapshot. Its writes fail.
func (s *Snapshot) Driver() dialect.Driver { return snapshotDriver{s} }

// snapshotDriver is an ent driver that reads a snapshot.
type snapshotDriver struct{ snapshot *Snapshot }

// errReadOnly is the error for writes to a snapshot.
var errReadOnly = errors.New("internal error: a snapshot only reads")

// Dialect implements [dialect.Driver].
func (r snapshotDriver) Dialect() string { return r.snapshot.db.dialect }

// Close implements [dialect.Driver]. It does nothing: the owner closes the snapshot.
func (snapshotDriver) Close() error { return nil }

// Exec implements [dialect.Driver].
func (snapshotDriver) Exec(context.Context, string, any, any) error { return errReadOnly }

// Tx implements [dialect.Driver].
func (snapshotDriver) Tx(context.Context) (dialect.Tx, error) { return nil, errReadOnly }

// Query implements [dialect.Driver].
func (r snapshotDriver) Query(ctx context.Context, text string, args, to any) error {
	into, ok := to.(*entsql.Rows)
	values, listed := args.([]any)
	if !ok || !listed {
		return fmt.Errorf("internal error: a query of %T into %T", args, to)
	}
	found := &rows{at: -1}
	into.ColumnScanner = found
	return r.snapshot.RunAll(ctx, Statement{Text: text, Args: values, Read: found.add, columns: &found.columns})
}

// rows holds all rows of a statement in memory for ent to read.
type rows struct {
	columns []string
	values  [][]driver.Value
	at      int
}

var _ entsql.ColumnScanner = (*rows)(nil)

// add copies a row.
func (r *rows) add(row *Row) error {
	values := make([]driver.Value, len(row.values))
	for i, v := range row.values {
		if b, ok := v.([]byte); ok {
			v = bytes.Clone(b)
		}
		values[i] = v
	}
	r.values = append(r.values, values)
	return nil
}

// Close implements [entsql.ColumnScanner].
func (*rows) Close() error { return nil }

// ColumnTypes implements [entsql.ColumnScanner]. It fails; ent's queries do not call it.
func (*rows) ColumnTypes() ([]*sql.ColumnType, error) {
	return nil, errors.New("internal error: column types are not available")
}

// Columns implements [entsql.ColumnScanner].
func (r *rows) Columns() ([]string, error) { return r.columns, nil }

// Err implements [entsql.ColumnScanner].
func (*rows) Err() error { return nil }

// Next implements [entsql.ColumnScanner].
func (r *rows) Next() bool {
	r.at++
	return r.at < len(r.values)
}

// NextResultSet implements [entsql.ColumnScanner].
func (*rows) NextResultSet() bool { return false }

// Scan implements [entsql.ColumnScanner] for the destination types of ent's entities and
// counts.
func (r *rows) Scan(to ...any) error {
	if len(to) != len(r.columns) {
		return fmt.Errorf("internal error: %d values of a row into %d", len(r.columns), len(to))
	}
	for i, v := range r.values[r.at] {
		var err error
		switch to := to[i].(type) {
		case sql.Scanner:
			err = to.Scan(v)
		case *[]byte:
			if *to = nil; v != nil {
				err = scan(to, v)
			}
		case *int64:
			err = scan(to, v)
		case *int:
			err = scan(to, v)
		case *string:
			err = scan(to, v)
		case *any:
			*to = v
		default:
			err = fmt.Errorf("internal error: no value is read into %T", to)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.columns[i], err)
		}
	}
	return nil
}

// scan converts a value to T. It fails for null.
func scan[T any](to *T, v driver.Value) error {
	var n sql.Null[T]
	if err := n.Scan(v); err != nil {
		return err
	}
	if !n.Valid {
		return errors.New("got null")
	}
	*to = n.V
	return nil
}
