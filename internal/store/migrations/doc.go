// Package migrations holds the steps from each version of the schema to the next, in
// the folders sqlite and postgres: handwritten SQL, applied in the order of its numbers.
//
// A migration declares the oldest schema version whose programs still work after it, in
// a line of its own:
//
//	-- +mintburn compatible_from 6
//
// A program that knows version 6 then goes on beside a newer one. With none in place of
// the version, or without the line, all older programs are refused. The declaration becomes the setting compatible_from in the
// transaction of the migration, and stays the largest one so far.
//
// A migration that creates an index on a table which has rows commits each statement by
// itself on PostgreSQL, so that others write meanwhile, and does nothing else:
//
//	-- +goose NO TRANSACTION
//	DROP INDEX CONCURRENTLY IF EXISTS mints_block;
//	CREATE INDEX CONCURRENTLY mints_block ON mints (block);
//
// An interrupted build leaves an invalid index, which the next try drops.
package migrations
