// Package store keeps Mintburn's records in SQLite or PostgreSQL and answers
// pages, totals and lookups from them. It is the only user of ent.
//
// What it guarantees:
//   - A [Snapshot] reads one committed state of the data, whatever is written
//     meanwhile.
//   - A page costs one indexed statement of at most limit + 1 rows, at any
//     depth; a total costs a number of counter nodes that is logarithmic in
//     the size of the table and at most [leafSize] counted rows at each end.
//   - [Store.Apply] and [Store.ReplaceAbove] write blocks, records, counters and
//     coverage in one transaction: after a crash a block is there whole or
//     not at all.
//   - A [Queue] gives each minted token to one worker at a time, and again
//     after each event that speaks of it, whatever crashes or is reorganised.
//     Apply writes nothing for it but a row for such an event.
//
// What it does not: it does not decide what a mint or burn is (package nft),
// and it never asks a node anything.
//
// # Where to start
//
// page.go reads a page of mints or burns, token.go one of token metadata. On
// the way, filter.go turns a filter into a query, query.go makes ent's query of
// it, snapshot.go runs the statement, and record.go turns rows into records and
// records into rows. testdata/statements.*.sql has the SQL of every page, total
// and boundary; a test holds the files equal to what is sent, and the tests of
// plans read their statements from them.
//
// # Two ways to say SQL
//
// Reads and single writes are ent's queries, within a snapshot or a writing
// transaction:
//
//	s.client().Coverage.Query().Where(coverage.KindEQ(kind)).Order(coverage.ByFromBlock()).All(ctx)
//
// What every page takes is said as an ent query as well, but its text is cached
// and its rows are read by generated ReadRow methods ([Snapshot.run],
// ent/template/row.tmpl), because ent's own row loop takes four times as long
// and building a statement each time adds 14 to 20 %.
//
// What has no entity as its result (sums and counts, rows that move from one
// table to another, rows that replace others) is said with ent's statement
// builder ([writer.exec], [writer.query], [Snapshot.cached]), with the generated
// names of tables and columns. Values are always parameters. Text is left to what
// speaks of no table of the schema: transactions, locks, PRAGMA, and migrations.
package store
