package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// rowsAtOnce is how many rows one statement inserts: enough to make the cost
// of a call small, few enough for the limits on parameters.
const rowsAtOnce = 32

// rowsInRun is how many rows a run has, a multiple of rowsAtOnce: enough that
// handing it to another goroutine costs next to nothing. runsAhead is how many
// may wait for the database.
const (
	rowsInRun = 64 * rowsAtOnce
	runsAhead = 4
)

// inserter collects rows of one table in runs. One goroutine may add rows while
// another inserts the runs.
type inserter struct {
	writer  *writer
	table   string
	columns []string
	// conflict says what becomes of a row that is there already.
	conflict []entsql.ConflictOption
	// take is what a run is handed to.
	take func(context.Context, run) error
	args []any
	// prepared inserts rowsAtOnce rows.
	prepared *sql.Stmt
}

// run is at most rowsInRun rows of one table.
type run struct {
	into *inserter
	args []any
}

func (w *writer) inserter(take func(context.Context, run) error, table string, columns []string) *inserter {
	return &inserter{writer: w, table: table, columns: columns, take: take}
}

// generatedID returns the columns of an entity whose id the database generates.
func generatedID(columns []string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == "id" })
}

// entity is a row of a table: one of ent's entities.
type entity interface {
	AppendValues(args []any, columns []string) ([]any, error)
}

// add adds a row, which may be changed afterwards.
func (i *inserter) add(ctx context.Context, row entity) (err error) {
	if i.args, err = row.AppendValues(i.args, i.columns); err != nil {
		return fmt.Errorf("writing %s: %w", i.table, err)
	}
	if len(i.args) < rowsInRun*len(i.columns) {
		return nil
	}
	return i.flush(ctx)
}

// flush hands on the rows that are not a full run yet.
func (i *inserter) flush(ctx context.Context) error {
	if len(i.args) == 0 {
		return nil
	}
	r := run{into: i, args: i.args}
	i.args = nil
	return i.take(ctx, r)
}

// close frees the statement.
func (i *inserter) close() error {
	if i.prepared == nil {
		return nil
	}
	return i.prepared.Close()
}

// insertRun writes the rows of a run.
func insertRun(ctx context.Context, r run) error {
	for args := range slices.Chunk(r.args, rowsAtOnce*len(r.into.columns)) {
		if err := r.into.insert(ctx, args); err != nil {
			return fmt.Errorf("writing %s: %w", r.into.table, err)
		}
	}
	return nil
}

// insert writes at most rowsAtOnce rows.
func (i *inserter) insert(ctx context.Context, args []any) (err error) {
	tx, rows := i.writer.tx, len(args)/len(i.columns)
	if rows < rowsAtOnce {
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

func (i *inserter) statement(rows int) string {
	insert := i.writer.store.builder().Insert(i.table).Columns(i.columns...)
	if i.conflict != nil {
		insert.OnConflict(i.conflict...)
	}
	row := make([]any, len(i.columns))
	for n := range row {
		row[n] = 0 // Any value but nil, which would stand in the text.
	}
	for range rows {
		insert.Values(row...)
	}
	text, _ := insert.Query()
	if i.writer.store.dialect == dialect.SQLite {
		// The default, OR ABORT, makes SQLite copy each page that a statement
		// of many rows touches, to be able to undo the statement alone. A
		// failed statement ends our transaction anyway.
		text = strings.Replace(text, "INSERT", "INSERT OR ROLLBACK", 1)
	}
	return text
}
