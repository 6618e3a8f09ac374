-- +goose Up
-- +mintburn compatible_from none
-- The transactions behind mints and burns, with --transactions. Older programs would leave those of
-- orphaned blocks.
CREATE TABLE transactions (
    id       integer PRIMARY KEY,
    sender   blob NOT NULL,
    receiver blob,
    value    blob NOT NULL,
    fee      blob
);
