-- +goose Up
-- +mintburn compatible_from none
-- The transactions behind mints and burns, with --transactions. Older programs would leave those of
-- orphaned blocks.
CREATE TABLE transactions (
    id       bigint PRIMARY KEY,
    sender   bytea NOT NULL,
    receiver bytea,
    value    bytea NOT NULL,
    fee      bytea
);
