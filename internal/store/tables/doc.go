// Package tables says what the columns of the store's tables mean to all who
// read and write them: positions and standards, ranges of blocks, and settings.
// Open tables.go first.
//
// Its functions take ent's client, within a snapshot or a writing transaction.
package tables
