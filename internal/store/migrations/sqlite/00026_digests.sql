-- +goose Up
-- +mintburn compatible_from none
-- Older programs would change records without uncovering their digests. Package digest fills the table.
CREATE TABLE digests (
    level  integer NOT NULL,
    bucket integer NOT NULL,
    mints  blob,
    burns  blob,
    PRIMARY KEY (level, bucket)
) WITHOUT ROWID;
