// Package store reads what clients ask for from SQLite or PostgreSQL: pages of mints,
// burns, collections, tokens and token metadata, their totals, and single objects. It and
// the packages below it are the only users of ent.
//
// What it promises:
//   - A [Snapshot] reads one committed state of the data, regardless of concurrent writes.
//   - A page takes one indexed statement of at most limit + 1 rows, at any depth. A total
//     reads a number of counter nodes that is logarithmic in the size of the table, see
//     package counter.
//
// What it never does: it writes nothing. Package write does, and no reader of an answer
// can reach it.
//
// # Rooms
//
// Each package below is one idea, and may use those above it only:
//
//   - counter, tables: counter trees; the meaning of rows
//   - query: a filter as SQL
//   - digest: one hash over the records of a range of blocks
//   - read: an open database and its snapshots
//   - total, document, cursor: totals; stored metadata; cursors and Relay's arguments
//   - page: what all lists have in common
//   - store: this package
//   - listing: what an export needs besides records
//   - lease, queue, migrations: who writes; metadata work; schema versions
//   - derived: columns of collections that repeat other tables
//   - write: one writing transaction
//   - proof: what a node decides
//   - check: the database against itself
//
// # Where to start
//
// Package page has the shape of all lists. A read of records starts in filter.go, which turns
// the filter into a [query.Query], which builds the SQL, and recordpage.go runs it. supply.go
// has minted, burned and supplied amounts. testdata/statements.*.txt
// names the statements of every page, total and boundary. A test compares these files with those that
// are sent, and the query plan tests read them.
//
// # Two ways to write SQL
//
// Reads, and writes of single rows, are ent queries in a snapshot or a writing
// transaction:
//
//	s.Client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
//
// The statements of pages are ent queries as well, but their text is cached and
// generated ReadRow methods (ent/template/row.tmpl) read their rows: ent's own row
// loop takes four times as long, and building a statement each time adds 14 to 20 %.
//
// Statements that do not return entities (sums and counts, rows that move from one
// table to another, rows that replace others) use ent's statement builder and the
// generated names of tables and columns. Values are always parameters. Only
// statements without a table of the schema are plain text: transactions, locks,
// PRAGMA, and migrations.
package store
