// Package tables defines the encoding of columns in the store's tables, for all packages
// that read and write them: positions and standards, ranges of blocks, and settings.
// Open tables.go first.
//
// Its functions take ent's client of a snapshot or a writing transaction.
package tables
