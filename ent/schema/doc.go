// Package schema defines the tables from which ent generates the data layer.
// Open transfer.go first: it defines mints and burns.
//
// The SQL that creates the tables is handwritten for each database, in
// internal/store/migrations. A test compares it with this package. Positions,
// bytes and interning are explained in docs/decisions.md.
package schema
