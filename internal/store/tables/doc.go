// Package tables defines what the rows of the store's tables mean, for all rooms of the
// store: positions and standards, ranges of blocks, settings, the row of the lease, the
// nodes of counter trees, and the conversion between rows and records, headers or
// attributes.
//
// It decides nothing and selects nothing by a filter. Its functions take ent's client of a
// snapshot or a writing transaction, or a [Querier], which is either.
//
// Open tables.go first, for positions and settings, then row.go, which converts between a
// row of mints or burns and an [nft.Record]. A new column is added there, in ent/schema and
// in the migrations.
package tables
