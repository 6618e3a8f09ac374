// Package store keeps Mintburn's records in SQLite or PostgreSQL and answers
// pages, totals and lookups from them. It and its sub-packages are the only users
// of ent.
//
// What it promises:
//   - A [Snapshot] reads one committed state of the data, whatever is written
//     meanwhile.
//   - A page costs one indexed statement of at most limit + 1 rows, at any
//     depth; a total costs a number of counter nodes that is logarithmic in
//     the size of the table, see package counter.
//   - [Store.Apply], [Store.Extend] and [Store.ReplaceAbove] write blocks, records,
//     counters and coverage in one transaction: after a crash a block is stored
//     completely or not at all.
//   - A [Queue] gives each minted token to one worker at a time, and again after
//     each event that concerns it, see package queue.
//
// What it never does: it does not decide what a mint or burn is (package nft),
// and it asks no node.
//
// # Where to start
//
// page.go reads a page of mints or burns, metadatapage.go one of token metadata. On
// the way, filter.go turns a filter into a query, query.go makes ent's query of
// it, snapshot.go runs the statement, and record.go turns rows into records and
// records into rows. testdata/statements.*.sql has the SQL of every page, total
// and boundary; a test holds the files equal to the statements that are sent, and
// the tests of plans read their statements from them.
//
// apply.go stores blocks, insert.go writes their rows, reorg.go replaces them. The
// methods of [Store] are for pages and for following a chain; [Store.Settings],
// [Store.Proofs], [Store.Load] and [Store.Redecoding] have the others.
// Uses between files run one way, which a test holds: no file that store.go uses
// uses store.go.
//
// # Two ways to say SQL
//
// Reads and single writes are ent's queries, within a snapshot or a writing
// transaction:
//
//	s.client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
//
// The statements of every page are ent queries as well, but their text is cached
// and their rows are read by generated ReadRow methods (ent/template/row.tmpl),
// because ent's own row loop takes four times as long and building a statement
// each time adds 14 to 20 %.
//
// Statements without an entity as their result (sums and counts, rows that move
// from one table to another, rows that replace others) are written with ent's
// statement builder, with the generated names of tables and columns. Values are
// always parameters. Text is left for what names no table of the schema:
// transactions, locks, PRAGMA, and migrations.
package store
