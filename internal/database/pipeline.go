package database

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// panicked carries a panic to the goroutine that it belongs to.
type panicked struct{ cause any }

func (p panicked) Error() string { return fmt.Sprint("panic: ", p.cause) }

// repanic panics with the cause of a panicked error, and returns any other error.
func repanic(err error) error {
	var p panicked
	if errors.As(err, &p) {
		panic(p.cause)
	}
	return err
}

// tracer is the type of [Options.Trace].
type tracer = func(ctx context.Context) (end func(texts []string, err error))

// pipeline runs the statements of start and then the batches in one round trip. If a
// statement of start fails, it closes the connection and returns the error as failed.
// Otherwise errs holds the error of each batch.
func pipeline(ctx context.Context, conn *pgxpool.Conn, trace tracer, start []Statement, batches ...[]Statement) (failed error, errs []error) {
	if trace != nil {
		if end := trace(ctx); end != nil {
			defer func() { end(textsOf(batches), errors.Join(append(slices.Clone(errs), failed)...)) }()
		}
	}
	queue := &pgx.Batch{}
	for _, one := range start {
		queue.Queue(one.Text)
	}
	for _, batch := range batches {
		for _, one := range batch {
			queue.Queue(one.Text, one.Args...)
		}
	}
	results := conn.SendBatch(ctx, queue)
	for _, one := range start {
		if failed = readRows(results, one, false); failed != nil {
			_ = results.Close()
			_ = conn.Conn().Close(ctx)
			return failed, nil
		}
	}
	errs = make([]error, len(batches))
	for i, batch := range batches {
		for _, one := range batch {
			if err := readRows(results, one, errs[i] != nil); errs[i] == nil {
				errs[i] = err
			}
		}
	}
	// The error repeats that of a statement, or occurred after all rows were read.
	_ = results.Close()
	return nil, errs
}

// textsOf returns the texts of all statements.
func textsOf(batches [][]Statement) (texts []string) {
	for _, batch := range batches {
		for _, one := range batch {
			texts = append(texts, one.Text)
		}
	}
	return texts
}

// readRows reads the rows of the next statement of a batch, or skips them.
func readRows(results pgx.BatchResults, one Statement, skip bool) (err error) {
	defer func() {
		// A panic of this statement's reader must not affect the other readers.
		if cause := recover(); cause != nil {
			err = panicked{cause}
		}
	}()
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	if skip {
		return nil
	}
	columns := rows.FieldDescriptions()
	if one.columns != nil {
		for _, c := range columns {
			*one.columns = append(*one.columns, c.Name)
		}
	}
	r := Row{values: make([]driver.Value, len(columns))}
	for rows.Next() {
		r.next = 0
		for i, raw := range rows.RawValues() {
			if r.values[i], err = decoded(columns[i], raw); err != nil {
				return err
			}
		}
		if err := one.Read(&r); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// decoded returns a value in the form that [Row] expects. Bytes may share memory with
// the connection. Without prepared statements, values arrive as text.
func decoded(column pgconn.FieldDescription, raw []byte) (v driver.Value, err error) {
	inText := column.Format == pgx.TextFormatCode
	switch of := column.DataTypeOID; {
	case raw == nil:
	case of == pgtype.TextOID:
		v = string(raw)
	case of == pgtype.ByteaOID && inText:
		v, err = hex.DecodeString(strings.TrimPrefix(string(raw), `\x`))
	case of == pgtype.ByteaOID:
		v = raw
	case of == pgtype.BoolOID && inText:
		v = string(raw) == "t"
	case of == pgtype.BoolOID:
		v = string(raw) == "\x01"
	case of != pgtype.Int2OID && of != pgtype.Int4OID && of != pgtype.Int8OID:
		err = fmt.Errorf("internal error: column %s has the type %d", column.Name, of)
	case inText:
		v, err = strconv.ParseInt(string(raw), 10, 64)
	case len(raw) == 2:
		v = int64(int16(binary.BigEndian.Uint16(raw)))
	case len(raw) == 4:
		v = int64(int32(binary.BigEndian.Uint32(raw)))
	case len(raw) == 8:
		v = int64(binary.BigEndian.Uint64(raw))
	default:
		err = fmt.Errorf("internal error: column %s has an integer of %d bytes", column.Name, len(raw))
	}
	return v, err
}
