-- +goose Up
-- +mintburn compatible_from none
-- Older programs would store names without their words. Package derive fills the table.
CREATE TABLE collection_words (
    id          bytea   PRIMARY KEY NOT NULL,
    contract_id bigint  NOT NULL,
    shared      bigint  NOT NULL
);
DROP INDEX contract_metadata_search;
ALTER TABLE contract_metadata DROP COLUMN search_key;
