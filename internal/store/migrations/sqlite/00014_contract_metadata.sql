-- +goose Up
-- +mintburn compatible_from none
-- Older programs would create contracts without a row here. Each collection becomes due once.
CREATE TABLE contract_metadata (
    id           integer PRIMARY KEY,
    contract_id  integer NOT NULL,
    state        text    NOT NULL,
    due_at       integer,
    attempts     integer NOT NULL DEFAULT 0,
    attempted_at integer,
    fetched_at   integer,
    seen_block   integer,
    error        text,
    name         text,
    symbol       text,
    search_key   blob,
    uri          text,
    content      text,
    raw          text
);
INSERT INTO contract_metadata (contract_id, state, due_at) SELECT id, 'waiting', -id FROM contracts ORDER BY id;
CREATE UNIQUE INDEX contract_metadata_contract ON contract_metadata (contract_id);
CREATE INDEX contract_metadata_due ON contract_metadata (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX contract_metadata_search ON contract_metadata (search_key) WHERE search_key IS NOT NULL;
