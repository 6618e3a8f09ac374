-- +goose Up
-- +mintburn compatible_from none
-- Older programs would store names without their words. Package derive fills the table.
CREATE TABLE collection_words (
    id          blob    PRIMARY KEY NOT NULL,
    contract_id integer NOT NULL,
    shared      integer NOT NULL
) WITHOUT ROWID;
DROP INDEX contract_metadata_search;
ALTER TABLE contract_metadata DROP COLUMN search_key;
