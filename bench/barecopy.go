package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// copiedAtOnce is the number of rows in one COPY of the bare copy. It bounds the memory.
const copiedAtOnce = 100_000

// importBesideCopy imports a file into an empty PostgreSQL database, makes a bare copy of
// all rows, and prints the rates of both.
func importBesideCopy(ctx context.Context, program, dsn, file string, out io.Writer) (err error) {
	took, err := watchImport(ctx, program, dsn, file, out)
	if err != nil {
		return err
	}
	from, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close(ctx)) }()
	to, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(ctx)) }()
	var records, bytes float64
	err = from.QueryRow(ctx, "SELECT (SELECT count(*) FROM mints) + (SELECT count(*) FROM burns), "+
		"(SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace)").Scan(&records, &bytes)
	if err != nil {
		return fmt.Errorf("measuring the database: %w", err)
	}
	copying, indexing, err := bareCopy(ctx, from, to)
	if err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	bare := copying + indexing
	_, err = fmt.Fprintf(out, "%.0f records of %.0f bytes: import %.0f records/s; bare COPY %.0f records/s (rows %s, indexes %s); ratio %.2f.\n",
		records, bytes/records, records/took.Seconds(), records/bare.Seconds(),
		copying.Round(10*time.Millisecond), indexing.Round(10*time.Millisecond), bare.Seconds()/took.Seconds())
	return err
}

// bareCopy copies the rows of all tables into tables without indexes, and then creates
// the indexes. It returns the times of both steps, without the time of reading.
func bareCopy(ctx context.Context, from, to *pgx.Conn) (copying, indexing time.Duration, err error) {
	tables, err := textsOf(ctx, to, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return 0, 0, err
	}
	indexes, err := textsOf(ctx, to, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'")
	if err == nil {
		_, err = to.Exec(ctx, "CREATE SCHEMA bare")
	}
	for _, name := range tables {
		if err == nil {
			_, err = to.Exec(ctx, "CREATE TABLE bare."+name+" (LIKE public."+name+")")
		}
		if err == nil {
			var took time.Duration
			took, err = copyRows(ctx, from, to, name)
			copying += took
		}
	}
	start := time.Now()
	for _, statement := range indexes {
		if err == nil {
			_, err = to.Exec(ctx, strings.Replace(statement, " ON public.", " ON bare.", 1))
		}
	}
	return copying, time.Since(start), err
}

// textsOf returns the values of a statement with one column.
func textsOf(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// copyRows copies a table from schema public to schema bare, and returns the time that
// the target took for the rows.
func copyRows(ctx context.Context, from, to *pgx.Conn, table string) (took time.Duration, err error) {
	rows, err := from.Query(ctx, "SELECT * FROM public."+table)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var columns []string
	for _, column := range rows.FieldDescriptions() {
		columns = append(columns, column.Name)
	}
	for more := true; more; {
		var part [][]any
		for len(part) < copiedAtOnce {
			if more = rows.Next(); !more {
				break
			}
			values, err := rows.Values()
			if err != nil {
				return 0, err
			}
			part = append(part, values)
		}
		start := time.Now()
		if _, err := to.CopyFrom(ctx, pgx.Identifier{"bare", table}, columns, pgx.CopyFromRows(part)); err != nil {
			return 0, err
		}
		took += time.Since(start)
	}
	return took, rows.Err()
}
