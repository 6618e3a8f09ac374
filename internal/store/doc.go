// Package store keeps Mintburn's records in SQLite or PostgreSQL, and reads pages,
// totals and single items from them. It and its sub-packages are the only users
// of ent.
//
// What it promises:
//   - A [Snapshot] reads one committed state of the data, regardless of
//     concurrent writes.
//   - A page takes one indexed statement of at most limit + 1 rows, at any
//     depth. A total reads a number of counter nodes that is logarithmic in
//     the size of the table, see package counter.
//   - [write.DB.Apply], [write.DB.Extend] and [write.DB.ReplaceAbove] write blocks, records,
//     counters and coverage in one transaction: after a crash a block is stored
//     completely or not at all.
//   - A [write.Queue] lets one worker at a time claim a minted token, and lets it be
//     claimed again after each event that concerns it, see package queue.
//
// What it never does: it does not decide what a mint or burn is (package nft
// does), and it sends no request to a node.
//
// # Where to start
//
// page.go has what all pages share, recordpage.go reads a page of mints or burns. A
// read starts in filter.go, which turns a filter into a query. query.go turns that
// into ent's query, snapshot.go runs the statement, and record.go converts between
// rows and records. testdata/statements.*.sql contains the SQL of every page, total
// and boundary. A test compares these files with the statements that are sent, and
// the query plan tests read them.
//
// apply.go stores blocks, insert.go writes their rows, reorg.go replaces them. The
// methods of [write.DB] are for pages and for following a chain. The other methods are
// on [write.DB.Settings], [write.DB.Proofs], [write.DB.Load] and [write.DB.Redecoding].
// Files use each other in one direction: no file that store.go uses may use
// store.go. A test checks this.
//
// # Two ways to write SQL
//
// Reads, and writes of single rows, are ent queries in a snapshot or a writing
// transaction:
//
//	s.client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
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
