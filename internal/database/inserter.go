package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// rowsAtOnce is the number of rows that one statement inserts: enough to make the
// cost of a call small, few enough for the limits on parameters.
const rowsAtOnce = 32

// rowsInRun is the number of rows in a run, a multiple of rowsAtOnce: enough that
// handing a run to another goroutine costs next to nothing. runsAhead is how many
// runs may wait for the database.
const (
	rowsInRun = 64 * rowsAtOnce
	runsAhead = 4
)

// rowsToCopy is the smallest number of rows for which COPY is faster on PostgreSQL.
const rowsToCopy = 16

// Inserter inserts many rows into one table.
type Inserter struct {
	// Conflict resolves conflicts with existing rows. By default they are an error.
	Conflict []entsql.ConflictOption

	tx      *Tx
	table   string
	columns []string
	args    []any
	// take is called with each run.
	take func(context.Context, run) error
	// prepared inserts rowsAtOnce rows. It is closed when the transaction ends.
	prepared *sql.Stmt
}

// run is at most rowsInRun rows of one table.
type run struct {
	into *Inserter
	args []any
}

// Inserter returns an inserter for these columns of a table.
func (t *Tx) Inserter(table string, columns []string) *Inserter {
	return &Inserter{tx: t, table: table, columns: columns, take: insertRun}
}

// GeneratedID returns the columns without id, for entities whose id the database
// generates.
func GeneratedID(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == "id" })
}

// Entity is a row of a table, such as one of ent's entities.
type Entity interface {
	AppendValues(args []any, columns []string) ([]any, error)
}

// Add adds a row, which the caller may change afterwards. [Inserter.Flush] writes it
// at the latest.
func (i *Inserter) Add(ctx context.Context, row Entity) (err error) {
	if i.args, err = row.AppendValues(i.args, i.columns); err != nil {
		return fmt.Errorf("writing %s: %w", i.table, err)
	}
	if len(i.args) < rowsInRun*len(i.columns) {
		return nil
	}
	return i.Flush(ctx)
}

// Flush writes all rows that are still pending.
func (i *Inserter) Flush(ctx context.Context) error {
	if len(i.args) == 0 {
		return nil
	}
	r := run{into: i, args: i.args}
	i.args = nil
	return i.take(ctx, r)
}

// InsertAll calls fill in a new goroutine and meanwhile writes the rows, which takes
// longer. fill adds rows to these inserters and must not use the transaction.
func InsertAll(ctx context.Context, fill func() error, into ...*Inserter) error {
	runs := make(chan run, runsAhead)
	for _, i := range into {
		i.take = func(_ context.Context, r run) error { runs <- r; return nil }
	}
	var filled error
	var panicked any
	go func() {
		defer close(runs)
		defer func() { panicked = recover() }()
		filled = fill()
		for _, i := range into {
			filled = errors.Join(filled, i.Flush(ctx))
		}
	}()
	var err error
	for r := range runs {
		// After an error, drain the channel so that the goroutine ends.
		if err == nil {
			err = insertRun(ctx, r)
		}
	}
	if panicked != nil {
		// Panic in this goroutine, so that the caller can recover and the transaction ends.
		panic(panicked)
	}
	return errors.Join(filled, err)
}

// insertRun writes the rows of a run.
func insertRun(ctx context.Context, r run) error {
	if r.into.copies(len(r.args)) {
		err := r.into.tx.copyRows(ctx, r.into.table, r.into.columns, r.args)
		return Wrap(err, "writing %s", r.into.table)
	}
	for args := range slices.Chunk(r.args, rowsAtOnce*len(r.into.columns)) {
		if err := r.into.insert(ctx, args); err != nil {
			return fmt.Errorf("writing %s: %w", r.into.table, err)
		}
	}
	return nil
}

// copies reports whether this many values are written by COPY. COPY can't resolve
// conflicts, and needs a connection, which the transaction of a migration lacks.
func (i *Inserter) copies(values int) bool {
	return i.tx.Dialect() == dialect.Postgres && i.tx.conn != nil && i.Conflict == nil && values >= rowsToCopy*len(i.columns)
}

// insert writes at most rowsAtOnce rows.
func (i *Inserter) insert(ctx context.Context, args []any) (err error) {
	tx, rows := i.tx.tx, len(args)/len(i.columns)
	if rows < rowsAtOnce || i.tx.Dialect() == dialect.Postgres {
		// pgx caches the prepared statement where it can.
		_, err = tx.ExecContext(ctx, i.statement(rows), args...)
		return err
	}
	if i.prepared == nil {
		if i.prepared, err = tx.PrepareContext(ctx, i.statement(rows)); err != nil {
			return err
		}
	}
	_, err = i.prepared.ExecContext(ctx, args...)
	return err
}

func (i *Inserter) statement(rows int) string {
	insert := i.tx.Builder().Insert(i.table).Columns(i.columns...)
	if i.Conflict != nil {
		insert.OnConflict(i.Conflict...)
	}
	row := make([]any, len(i.columns))
	for n := range row {
		row[n] = 0 // Any value but nil, which would become NULL in the text.
	}
	for range rows {
		insert.Values(row...)
	}
	text, _ := insert.Query()
	if i.tx.Dialect() == dialect.SQLite {
		// With the default, OR ABORT, SQLite copies each page that a statement
		// of many rows touches, so that it can undo only the statement. That is
		// not needed: a failed statement always ends this transaction.
		text = strings.Replace(text, "INSERT", "INSERT OR ROLLBACK", 1)
	}
	return text
}
