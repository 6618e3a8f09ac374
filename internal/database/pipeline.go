package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// decoded returns a value as [Row] takes it. Bytes may share memory with the
// connection. The values of a connection without prepared statements come as text.
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
