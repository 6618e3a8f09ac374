-- +goose Up
-- +goose NO TRANSACTION
-- +mintburn compatible_from 8
DROP INDEX CONCURRENTLY IF EXISTS contracts_first_log;
CREATE INDEX CONCURRENTLY contracts_first_log ON contracts (first_log, id);
