-- +goose Up
-- +mintburn compatible_from 18
-- docs/data.md#sql-views lists the columns, which are stable. PostgreSQL walks the records of a
-- collection in order only if the condition is on a column of their own table.
CREATE OR REPLACE VIEW v_mints AS
SELECT
    m.id AS position,
    '0x' || encode(c.address, 'hex') AS token_address,
    CASE WHEN m.operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END AS contract_type,
    mintburn_numeric(m.token_id) AS token_id,
    '0x' || lpad(to_hex(b.hash_prefix), 16, '0') || encode(b.hash_suffix, 'hex') AS block_hash,
    m.id >> 30 AS block_number,
    '0x' || lpad(to_hex(m.tx_prefix), 16, '0') || encode(m.tx_suffix, 'hex') AS transaction_hash,
    m.log_index AS log_index,
    '0x0000000000000000000000000000000000000000' AS "from",
    '0x' || lpad(to_hex(m.account_prefix), 16, '0') || encode(m.account_suffix, 'hex') AS "to",
    mintburn_numeric(m.amount) AS amount,
    CASE WHEN m.operator IS NOT NULL THEN '0x' || encode(m.operator, 'hex') END AS operator,
    b.time AS timestamp,
    b.time AS block_time,
    m.sub_index AS sub_index,
    m.contract_id AS collection_id
FROM mints AS m
LEFT JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

CREATE OR REPLACE VIEW v_burns AS
SELECT
    m.id AS position,
    '0x' || encode(c.address, 'hex') AS token_address,
    CASE WHEN m.operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END AS contract_type,
    mintburn_numeric(m.token_id) AS token_id,
    '0x' || lpad(to_hex(b.hash_prefix), 16, '0') || encode(b.hash_suffix, 'hex') AS block_hash,
    m.id >> 30 AS block_number,
    '0x' || lpad(to_hex(m.tx_prefix), 16, '0') || encode(m.tx_suffix, 'hex') AS transaction_hash,
    m.log_index AS log_index,
    '0x' || lpad(to_hex(m.account_prefix), 16, '0') || encode(m.account_suffix, 'hex') AS "from",
    CASE WHEN m.burn_address IS NULL THEN '0x0000000000000000000000000000000000000000' ELSE '0x' || encode(m.burn_address, 'hex') END AS "to",
    mintburn_numeric(m.amount) AS amount,
    CASE WHEN m.operator IS NOT NULL THEN '0x' || encode(m.operator, 'hex') END AS operator,
    b.time AS timestamp,
    b.time AS block_time,
    m.sub_index AS sub_index,
    m.contract_id AS collection_id
FROM burns AS m
LEFT JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

-- For the subqueries see migration 16.
CREATE OR REPLACE VIEW v_collections AS
SELECT
    c.first_log AS position,
    '0x' || encode(c.address, 'hex') AS address,
    CASE WHEN c.standards = 1 THEN 'ERC721' WHEN c.standards = 2 THEN 'ERC1155'
        WHEN COALESCE((SELECT (id >> 30 << 30) + log_index FROM mints WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1), -1) >
            COALESCE((SELECT (id >> 30 << 30) + log_index FROM burns WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1), -1)
        THEN (SELECT CASE WHEN operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END FROM mints WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1)
        ELSE (SELECT CASE WHEN operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END FROM burns WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1) END AS contract_type,
    (SELECT name FROM contract_metadata WHERE contract_id = c.id) AS name,
    (SELECT symbol FROM contract_metadata WHERE contract_id = c.id) AS symbol,
    c.mint_count AS minted_items,
    c.burn_count AS burned_items,
    c.first_log >> 30 AS first_block,
    GREATEST(COALESCE((SELECT id >> 30 FROM mints WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1), -1),
        COALESCE((SELECT id >> 30 FROM burns WHERE contract_id = ANY(ARRAY[c.id]) ORDER BY contract_id DESC, id DESC LIMIT 1), -1)) AS last_block,
    c.id AS collection_id
FROM contracts AS c
WHERE c.first_log IS NOT NULL;
