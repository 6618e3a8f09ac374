package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// Statement is a statement with its arguments. Read is called for each row.
type Statement struct {
	Text string
	Args []any
	Read func(*Row) error
}

// pipeline begins a transaction of PostgreSQL with the statements start and runs a
// batch in it, in one round trip. It reports whether there is a transaction; without
// one, the connection is closed.
func pipeline(ctx context.Context, conn *sql.Conn, start []string, batch []Statement) (began bool, err error) {
	var failed error
	err = conn.Raw(func(conn any) error {
		queue := &pgx.Batch{}
		for _, text := range start {
			queue.Queue(text)
		}
		for _, one := range batch {
			queue.Queue(one.Text, one.Args...)
		}
		results := conn.(*stdlib.Conn).Conn().SendBatch(ctx, queue)
		for range start {
			if _, failed = results.Exec(); failed != nil {
				failed = fmt.Errorf("beginning a snapshot: %w", errors.Join(failed, results.Close()))
				return driver.ErrBadConn
			}
		}
		for i := 0; i < len(batch) && failed == nil; i++ {
			failed = readRows(results, batch[i].Read)
		}
		// Its error is that of a statement, or comes after all rows.
		_ = results.Close()
		return nil
	})
	if failed != nil {
		return err == nil, failed
	}
	return err == nil, err
}

// readRows reads the rows of the next statement of a batch.
func readRows(results pgx.BatchResults, read func(*Row) error) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	columns := rows.FieldDescriptions()
	r := Row{values: make([]driver.Value, len(columns))}
	for rows.Next() {
		r.next = 0
		for i, raw := range rows.RawValues() {
			if r.values[i], err = decoded(columns[i], raw); err != nil {
				return err
			}
		}
		if err := read(&r); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// decoded returns a value as [Row] takes it. Bytes share memory with the connection.
func decoded(column pgconn.FieldDescription, raw []byte) (driver.Value, error) {
	if raw == nil {
		return nil, nil
	}
	binaryFormat := column.Format == pgx.BinaryFormatCode
	switch of := column.DataTypeOID; {
	case of == pgtype.TextOID:
		return string(raw), nil
	case of == pgtype.ByteaOID && binaryFormat:
		return raw, nil
	case of == pgtype.BoolOID && binaryFormat && len(raw) == 1:
		return raw[0] != 0, nil
	case of == pgtype.Int2OID && binaryFormat && len(raw) == 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	case of == pgtype.Int4OID && binaryFormat && len(raw) == 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case of == pgtype.Int8OID && binaryFormat && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	}
	return nil, fmt.Errorf("internal error: column %s has the type %d in format %d", column.Name, column.DataTypeOID, column.Format)
}
