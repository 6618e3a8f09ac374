-- +goose Up
-- +goose NO TRANSACTION
-- +mintburn compatible_from 18
-- The views' conditions on the address of a collection use this index.
DROP INDEX CONCURRENTLY IF EXISTS contracts_text;
CREATE UNIQUE INDEX CONCURRENTLY contracts_text ON contracts (('0x' || encode(address, 'hex')));
