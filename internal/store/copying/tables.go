package copying

import (
	"bytes"
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/change"
	"mintburn/ent/changeevent"
	"mintburn/ent/contract"
	"mintburn/ent/contractmetadata"
	entcounter "mintburn/ent/counter"
	"mintburn/ent/coverage"
	"mintburn/ent/mint"
	"mintburn/ent/orphanedblock"
	"mintburn/ent/refresh"
	"mintburn/ent/rejectedlog"
	"mintburn/ent/resolution"
	"mintburn/ent/setting"
	"mintburn/ent/token"
	"mintburn/ent/transaction"
	"mintburn/ent/version"
	"mintburn/internal/database"
	"mintburn/internal/store/derive"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/tables"
)

// table is a table whose rows are copied, with the columns that do not follow from other rows. id is the first of
// them.
type table struct {
	name    string
	columns []string
	entity  entity
}

// entity is a row of ent's.
type entity interface {
	database.Entity
	ReadRow(row *database.Row, columns ...string) error
}

// copied are the copied tables. Coverage is the last: until then no block of the target is indexed.
func copied() []table {
	return []table{
		{block.Table, block.Columns, new(ent.Block)},
		{orphanedblock.Table, orphanedblock.Columns, new(ent.OrphanedBlock)},
		// Traits of collections do not follow while an upgrade counts them.
		{contract.Table, []string{contract.FieldID, contract.FieldAddress, contract.FieldStandards, contract.FieldTraitsVersion, contract.FieldTraits}, new(ent.Contract)},
		{contractmetadata.Table, contractmetadata.Columns, new(ent.ContractMetadata)},
		{mint.Table, mint.Columns, new(ent.Mint)},
		{burn.Table, burn.Columns, new(ent.Burn)},
		{transaction.Table, transaction.Columns, new(ent.Transaction)},
		{rejectedlog.Table, rejectedlog.Columns, new(ent.RejectedLog)},
		{token.Table, token.Columns, new(ent.Token)},
		{version.Table, version.Columns, new(ent.Version)},
		{resolution.Table, resolution.Columns, new(ent.Resolution)},
		{refresh.Table, refresh.Columns, new(ent.Refresh)},
		{change.Table, change.Columns, new(ent.Change)},
		{changeevent.Table, changeevent.Columns, new(ent.ChangeEvent)},
		{setting.Table, setting.Columns, new(ent.Setting)},
		{coverage.Table, coverage.Columns, new(ent.Coverage)},
	}
}

// derived are the tables that [Derive], [write.Load] and [write.FillDigests] fill.
var derived = append(slices.Clone(derive.Hidden), entcounter.Table, digest.Table)

const (
	// rowsAtOnce is how many rows one statement reads.
	rowsAtOnce = 1_000
	// A transaction ends after the statement that reaches fullRows or fullBytes. The target gets texts in parts of
	// partBytes.
	fullRows, fullBytes, partBytes = 50_000, 16 << 20, 1 << 20
)

// own are the settings that each database has for itself.
var own = []any{tables.CompatibleFrom, tables.Copying, tables.History, tables.LastCommit, tables.PendingIndexes}

// where returns the condition of the rows to copy.
func (t table) where() *entsql.Predicate {
	switch t.name {
	case setting.Table:
		return entsql.NotIn(setting.FieldID, own...)
	case coverage.Table:
		return entsql.NEQ(coverage.FieldKind, coverage.KindDigested)
	}
	return entsql.ExprP("true")
}

// Count is the number of copied rows of a table.
type Count struct {
	Table string
	Rows  int64
}

// Counts counts the rows to copy, or those of a copy.
func Counts(ctx context.Context, from tables.Querier) (counts []Count, err error) {
	for _, t := range copied() {
		n := Count{Table: t.name}
		rows := from.Builder().Select().Count().From(entsql.Table(t.name)).Where(t.where())
		err := from.Query(ctx, rows, func(row *database.Row) error { return row.Values(&n.Rows) })
		if err != nil {
			return nil, database.Wrap(err, "counting %s", t.name)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// part is the part of a table that one transaction copies, and the row that is copied.
type part struct {
	entity
	// key is that of the last row, unless it is a text. more is set unless the last rows were read.
	key  int64
	more bool
	// rows and bytes count what was read.
	rows, bytes int
}

// AppendValues implements [database.Entity]. Bytes of a snapshot's row share memory with the driver.
func (p *part) AppendValues(args []any, columns []string) ([]any, error) {
	first := len(args)
	args, err := p.entity.AppendValues(args, columns)
	if err != nil {
		return args, err
	}
	p.rows++
	p.key, _ = args[first].(int64)
	for i, v := range args[first:] {
		switch v := v.(type) {
		case []byte:
			args[first+i] = bytes.Clone(v)
			p.bytes += len(v)
		case string:
			p.bytes += len(v)
		}
	}
	return args, nil
}

// read reads the rows after p.key into an inserter.
func (p *part) read(ctx context.Context, t table, from tables.Querier, into *database.Inserter) error {
	for p.more && p.rows < fullRows && p.bytes < fullBytes {
		before, sent := p.rows, p.bytes
		rows := from.Builder().Select(t.columns...).From(entsql.Table(t.name)).Where(t.where())
		if t.name != setting.Table {
			rows.Where(entsql.GT(t.columns[0], p.key)).OrderBy(t.columns[0]).Limit(rowsAtOnce)
		}
		err := from.Query(ctx, rows, func(row *database.Row) error {
			err := p.entity.ReadRow(row, t.columns...)
			if err == nil {
				err = into.Add(ctx, p)
			}
			if err == nil && p.bytes-sent >= partBytes {
				sent, err = p.bytes, into.Flush(ctx)
			}
			return err
		})
		if err != nil {
			return err
		}
		p.more = t.name != setting.Table && p.rows-before == rowsAtOnce
	}
	return nil
}
