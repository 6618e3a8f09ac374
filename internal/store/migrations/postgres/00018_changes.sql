-- +goose Up
-- +mintburn compatible_from none
-- Older programs would change blocks and documents without a row of the log.
CREATE TABLE changes (
    id    bigint PRIMARY KEY,
    nonce bigint NOT NULL,
    at    bigint NOT NULL,
    top   bigint NOT NULL DEFAULT -1,
    final bigint NOT NULL DEFAULT -1
);
CREATE TABLE change_events (
    id         bigint PRIMARY KEY,
    event      text NOT NULL,
    from_block bigint NOT NULL,
    to_block   bigint NOT NULL,
    top_before bigint NOT NULL,
    top        bigint NOT NULL
);
INSERT INTO changes (id, nonce, at, top, final) VALUES (1, hashtextextended(gen_random_uuid()::text, 0), extract(epoch FROM now())::bigint,
    COALESCE((SELECT max(to_block) FROM coverage WHERE kind = 'indexed'), -1), COALESCE((SELECT max(to_block) FROM coverage WHERE kind = 'final'), -1));
ALTER TABLE tokens ADD COLUMN changed bigint;
