-- +goose Up
-- +goose NO TRANSACTION
-- +mintburn compatible_from 18
DROP INDEX CONCURRENTLY IF EXISTS tokens_changed;
CREATE INDEX CONCURRENTLY tokens_changed ON tokens (changed, id) WHERE changed IS NOT NULL;
