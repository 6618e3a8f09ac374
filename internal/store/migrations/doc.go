// Package migrations holds the steps from each version of the schema to the next, in
// the folders sqlite and postgres: handwritten SQL, applied in the order of its numbers.
//
// A migration declares the oldest schema version whose programs still work after it, on a
// separate line:
//
//	-- +mintburn compatible_from 6
//
// A program that knows version 6 then continues next to a newer one. With none instead of
// the version, or without the line, all older programs are refused. The transaction of the
// migration stores the largest declaration so far as the setting compatible_from.
//
// On PostgreSQL, a migration that creates an index on a table with rows commits each
// statement separately, so that other transactions can write meanwhile, and does nothing
// else:
//
//	-- +goose NO TRANSACTION
//	DROP INDEX CONCURRENTLY IF EXISTS mints_block;
//	CREATE INDEX CONCURRENTLY mints_block ON mints (block);
//
// An interrupted build leaves an invalid index, which the next attempt drops.
package migrations
