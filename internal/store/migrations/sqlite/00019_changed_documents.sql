-- +goose Up
-- +mintburn compatible_from 18
CREATE INDEX tokens_changed ON tokens (changed) WHERE changed IS NOT NULL;
