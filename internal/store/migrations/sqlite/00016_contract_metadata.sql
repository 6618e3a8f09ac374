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

-- docs/data.md#sql-views lists the columns, which are stable. The standard of a collection with both
-- is that of its latest record.
CREATE VIEW v_collections AS
SELECT
    c.first_log AS position,
    '0x' || lower(hex(c.address)) AS address,
    CASE WHEN c.standards = 1 THEN 'ERC721' WHEN c.standards = 2 THEN 'ERC1155'
        WHEN COALESCE((SELECT (id >> 30 << 30) + log_index FROM mints WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1), -1) >
            COALESCE((SELECT (id >> 30 << 30) + log_index FROM burns WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1), -1)
        THEN (SELECT CASE WHEN operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END FROM mints WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1)
        ELSE (SELECT CASE WHEN operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END FROM burns WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1) END AS contract_type,
    (SELECT name FROM contract_metadata WHERE contract_id = c.id) AS name,
    (SELECT symbol FROM contract_metadata WHERE contract_id = c.id) AS symbol,
    c.mint_count AS minted_items,
    c.burn_count AS burned_items,
    c.first_log >> 30 AS first_block,
    max(COALESCE((SELECT id >> 30 FROM mints WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1), -1),
        COALESCE((SELECT id >> 30 FROM burns WHERE contract_id = c.id ORDER BY contract_id DESC, id DESC LIMIT 1), -1)) AS last_block
FROM contracts AS c
WHERE c.first_log IS NOT NULL;
