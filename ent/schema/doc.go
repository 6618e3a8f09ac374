// Package schema defines the tables, for ent to generate the data layer from.
//
// The SQL that creates them is written by hand, for each database, in
// internal/store/migrations; a test holds the two equal. Positions, bytes and
// interning are explained in docs/decisions.md.
package schema
