-- +goose Up
-- +mintburn compatible_from 18
-- Conditions on the address of a collection use this index. SQLite uses it only with an inner
-- join. It is unique, so that the records of a collection need no sort by position.
CREATE UNIQUE INDEX contracts_text ON contracts ('0x' || lower(hex(address)));

-- docs/data.md#sql-views lists the columns, which are stable. The sqlite3 of distributions
-- reads the views too: they use no function that SQLite 3.40 lacks.
DROP VIEW v_mints;
DROP VIEW v_burns;
DROP VIEW v_tokens;

CREATE VIEW v_mints AS
SELECT
    m.id AS position,
    '0x' || lower(hex(c.address)) AS token_address,
    CASE WHEN m.operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END AS contract_type,
    '0x' || substr(printf('%064d', 0) || lower(hex(substr(m.token_id, 2))), -64) AS token_id,
    CASE WHEN length(m.token_id) < 9 OR length(m.token_id) = 9 AND substr(m.token_id, 2, 1) < x'80' THEN
        (SELECT sum(instr('123456789ABCDEF', substr(hex(m.token_id), column1, 1)) << 8 * length(m.token_id) - 4 * column1)
         FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18))) END AS token_id_decimal,
    '0x' || printf('%016x', b.hash_prefix) || lower(hex(b.hash_suffix)) AS block_hash,
    m.id >> 30 AS block_number,
    '0x' || printf('%016x', m.tx_prefix) || lower(hex(m.tx_suffix)) AS transaction_hash,
    m.log_index AS log_index,
    '0x0000000000000000000000000000000000000000' AS "from",
    '0x' || printf('%016x', m.account_prefix) || lower(hex(m.account_suffix)) AS "to",
    '0x' || substr(printf('%064d', 0) || lower(hex(substr(m.amount, 2))), -64) AS amount,
    CASE WHEN length(m.amount) < 9 OR length(m.amount) = 9 AND substr(m.amount, 2, 1) < x'80' THEN
        (SELECT sum(instr('123456789ABCDEF', substr(hex(m.amount), column1, 1)) << 8 * length(m.amount) - 4 * column1)
         FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18))) END AS amount_decimal,
    CASE WHEN m.operator IS NOT NULL THEN '0x' || lower(hex(m.operator)) END AS operator,
    b.time AS timestamp,
    b.time AS block_time,
    m.sub_index AS sub_index
FROM mints AS m
JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

CREATE VIEW v_burns AS
SELECT
    m.id AS position,
    '0x' || lower(hex(c.address)) AS token_address,
    CASE WHEN m.operator IS NULL THEN 'ERC721' ELSE 'ERC1155' END AS contract_type,
    '0x' || substr(printf('%064d', 0) || lower(hex(substr(m.token_id, 2))), -64) AS token_id,
    CASE WHEN length(m.token_id) < 9 OR length(m.token_id) = 9 AND substr(m.token_id, 2, 1) < x'80' THEN
        (SELECT sum(instr('123456789ABCDEF', substr(hex(m.token_id), column1, 1)) << 8 * length(m.token_id) - 4 * column1)
         FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18))) END AS token_id_decimal,
    '0x' || printf('%016x', b.hash_prefix) || lower(hex(b.hash_suffix)) AS block_hash,
    m.id >> 30 AS block_number,
    '0x' || printf('%016x', m.tx_prefix) || lower(hex(m.tx_suffix)) AS transaction_hash,
    m.log_index AS log_index,
    '0x' || printf('%016x', m.account_prefix) || lower(hex(m.account_suffix)) AS "from",
    CASE WHEN m.burn_address IS NULL THEN '0x0000000000000000000000000000000000000000' ELSE '0x' || lower(hex(m.burn_address)) END AS "to",
    '0x' || substr(printf('%064d', 0) || lower(hex(substr(m.amount, 2))), -64) AS amount,
    CASE WHEN length(m.amount) < 9 OR length(m.amount) = 9 AND substr(m.amount, 2, 1) < x'80' THEN
        (SELECT sum(instr('123456789ABCDEF', substr(hex(m.amount), column1, 1)) << 8 * length(m.amount) - 4 * column1)
         FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18))) END AS amount_decimal,
    CASE WHEN m.operator IS NOT NULL THEN '0x' || lower(hex(m.operator)) END AS operator,
    b.time AS timestamp,
    b.time AS block_time,
    m.sub_index AS sub_index
FROM burns AS m
JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

CREATE VIEW v_tokens AS
SELECT
    '0x' || lower(hex(c.address)) AS collection_address,
    CASE WHEN c.standards = 2 OR c.standards = 0 AND t.uri_has_id THEN 'ERC1155' ELSE 'ERC721' END AS collection_type,
    '0x' || substr(printf('%064d', 0) || lower(hex(substr(t.token_id, 2))), -64) AS token_id,
    CASE WHEN length(t.token_id) < 9 OR length(t.token_id) = 9 AND substr(t.token_id, 2, 1) < x'80' THEN
        (SELECT sum(instr('123456789ABCDEF', substr(hex(t.token_id), column1, 1)) << 8 * length(t.token_id) - 4 * column1)
         FROM (VALUES (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18))) END AS token_id_decimal,
    t.external_url AS external_url,
    t.image_data AS image_data,
    t.background_color AS background_color,
    t.youtube_url AS youtube_url,
    t.updated_at AS updated_at,
    t.name AS name,
    t.description AS description,
    t.image AS image,
    t.animation_url AS animation_url,
    rtrim(t.attributes, char(10)) AS attributes,
    t.uri AS uri,
    t.fetched_at AS fetched_at,
    CASE WHEN r.error IS NOT NULL THEN 'FAILED' WHEN r.state <> 'done' THEN 'PENDING' ELSE 'RESOLVED' END AS state,
    r.error AS error,
    CASE WHEN substr(t.raw, 1, 1) = '\' THEN
        replace(replace(replace(replace(replace(replace(replace(replace(substr(t.raw, 2),
            '\1', COALESCE('"' || t.name || '"', '\1')),
            '\2', COALESCE('"' || t.description || '"', '\2')),
            '\3', COALESCE('"' || t.image || '"', '\3')),
            '\4', COALESCE('"' || t.external_url || '"', '\4')),
            '\5', COALESCE('"' || t.image_data || '"', '\5')),
            '\6', COALESCE('"' || t.background_color || '"', '\6')),
            '\7', COALESCE('"' || t.youtube_url || '"', '\7')),
            '\8', COALESCE('"' || t.animation_url || '"', '\8'))
        ELSE t.raw END AS raw
FROM tokens AS t
JOIN contracts AS c ON c.id = t.contract_id
LEFT JOIN resolutions AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id;
