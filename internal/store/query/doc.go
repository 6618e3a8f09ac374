// Package query turns a filter into SQL. A [Query] has a kind of record, the columns that
// must be equal to values, and a range of positions; a [Selection] is the part of it that
// one statement reads. A [List] of values (collections, tokens, accounts or transactions)
// is one statement too, which merges the records of all values.
//
// [Query.Selector] builds the statement of a page, [Query.Merged] that of a list. Its text
// depends only on its [Key], so read.Snapshot.StatementOf builds it once for each key, and
// passes the values apart, in the order in which [Query.Args] returns them. testdata/pages.*.sql of package
// store has the texts of the statements of pages.
//
// Only largescopes.go reads the database. Each statement must use one index, in the order of positions,
// on SQLite and on PostgreSQL: testdata/statements.*.txt of package store names all of
// them, and the tests of query plans read these files.
//
// Open query.go first, then merge.go for lists.
package query
