-- +goose Up
-- Null where a record was stored before; verify --repair fills it.
ALTER TABLE mints ADD COLUMN tx_index integer;
ALTER TABLE burns ADD COLUMN tx_index integer;
