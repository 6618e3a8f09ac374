-- +goose Up
-- +mintburn compatible_from 8
CREATE INDEX contracts_first_log ON contracts (first_log);
