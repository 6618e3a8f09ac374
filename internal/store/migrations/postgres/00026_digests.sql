-- +goose Up
-- +mintburn compatible_from none
-- Older programs would change records without uncovering their digests. Package digest fills the table.
CREATE TABLE digests (
    level  bigint NOT NULL,
    bucket bigint NOT NULL,
    mints  bytea,
    burns  bytea,
    PRIMARY KEY (level, bucket)
);
