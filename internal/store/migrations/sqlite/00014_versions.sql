-- +goose Up
-- +mintburn compatible_from none
-- Older programs would replace a document without keeping it.
ALTER TABLE tokens ADD COLUMN cause text;
ALTER TABLE resolutions ADD COLUMN woken boolean;
CREATE TABLE versions (
    id          integer PRIMARY KEY,
    contract_id integer NOT NULL,
    token_id    blob    NOT NULL,
    number      integer NOT NULL,
    fetched_at  integer NOT NULL,
    cause       text,
    text_bytes  integer NOT NULL,
    uri         text    NOT NULL,
    raw         blob    NOT NULL
);
CREATE UNIQUE INDEX versions_contract_token_number ON versions (contract_id, token_id, number);
