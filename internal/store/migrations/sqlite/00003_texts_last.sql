-- +goose Up
-- SQLite reads a row from its beginning: texts, which may have megabytes, come
-- after the small columns, and those that often do come last.
CREATE TABLE tokens_texts_last (
    id               integer PRIMARY KEY,
    contract_id      integer NOT NULL,
    token_id         blob    NOT NULL,
    fetched_at       integer NOT NULL,
    updated_at       integer NOT NULL,
    uri_has_id       boolean NOT NULL,
    text_bytes       integer NOT NULL,
    name             text,
    background_color text,
    external_url     text,
    youtube_url      text,
    attributes       text    NOT NULL,
    description      text,
    image            text,
    animation_url    text,
    image_data       text,
    uri              text    NOT NULL,
    raw              text    NOT NULL
);
INSERT INTO tokens_texts_last
SELECT id, contract_id, token_id, fetched_at, updated_at, instr(uri, '{id}') > 0,
    coalesce(octet_length(name), 0) + coalesce(octet_length(background_color), 0) + coalesce(octet_length(external_url), 0) +
    coalesce(octet_length(youtube_url), 0) + coalesce(octet_length(animation_url), 0) + coalesce(octet_length(image), 0) +
    coalesce(octet_length(description), 0) + octet_length(attributes) + coalesce(octet_length(image_data), 0) +
    octet_length(uri) + octet_length(raw),
    name, background_color, external_url, youtube_url, attributes, description, image, animation_url, image_data, uri, raw
FROM tokens;
DROP TABLE tokens;
ALTER TABLE tokens_texts_last RENAME TO tokens;
CREATE UNIQUE INDEX tokens_contract_token ON tokens (contract_id, token_id);

CREATE TABLE resolutions_texts_last (
    id          integer PRIMARY KEY,
    contract_id integer NOT NULL,
    token_id    blob    NOT NULL,
    shape       integer NOT NULL,
    state       text    NOT NULL,
    turn        integer,
    attempts    integer NOT NULL DEFAULT 0,
    tried_at    integer,
    seen_block  integer,
    error       text,
    uri         text
);
INSERT INTO resolutions_texts_last
SELECT id, contract_id, token_id, shape, state, turn, attempts, tried_at, seen_block, error, uri FROM resolutions;
DROP TABLE resolutions;
ALTER TABLE resolutions_texts_last RENAME TO resolutions;
CREATE UNIQUE INDEX resolutions_contract_token ON resolutions (contract_id, token_id);
CREATE INDEX resolutions_turn ON resolutions (turn) WHERE turn IS NOT NULL;
CREATE INDEX resolutions_contract_turn ON resolutions (contract_id, turn) WHERE turn IS NOT NULL;
