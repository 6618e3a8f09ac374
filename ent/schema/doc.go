// Package schema defines the tables, from which ent generates the data layer.
// Open transfer.go first: it has the mints and burns.
//
// The SQL that creates them is handwritten for each database, in
// internal/store/migrations; a test compares the two. Positions, bytes and
// interning are explained in docs/decisions.md.
package schema
