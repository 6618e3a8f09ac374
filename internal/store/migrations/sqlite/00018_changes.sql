-- +goose Up
-- +mintburn compatible_from none
-- Older programs would change blocks and documents without a row of the log.
CREATE TABLE changes (
    id    integer PRIMARY KEY,
    nonce integer NOT NULL,
    at    integer NOT NULL,
    top   integer NOT NULL DEFAULT -1,
    final integer NOT NULL DEFAULT -1
);
CREATE TABLE change_events (
    id         integer PRIMARY KEY,
    event      text NOT NULL,
    from_block integer NOT NULL,
    to_block   integer NOT NULL,
    top_before integer NOT NULL,
    top        integer NOT NULL
);
INSERT INTO changes (id, nonce, at, top, final) VALUES (1, random(), unixepoch(),
    COALESCE((SELECT max(to_block) FROM coverage WHERE kind = 'indexed'), -1), COALESCE((SELECT max(to_block) FROM coverage WHERE kind = 'final'), -1));
ALTER TABLE tokens ADD COLUMN changed integer;
