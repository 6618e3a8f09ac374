// Package tables says what the columns of the store's tables mean to all who
// read and write them: positions and standards (columns.go), ranges of blocks
// (coverage.go) and settings (setting.go). Open coverage.go first.
//
// Its functions take ent's client, within a snapshot or a writing transaction.
package tables
