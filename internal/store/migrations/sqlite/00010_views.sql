-- +goose Up
-- +mintburn compatible_from 8
-- docs/data.md#sql-views lists the columns, which are stable. The sqlite3 of distributions
-- reads the views too: they use no function that SQLite 3.40 lacks. A migration that
-- replaces or drops what a view reads drops the view first.
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
LEFT JOIN contracts AS c ON c.id = m.contract_id
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
LEFT JOIN contracts AS c ON c.id = m.contract_id
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
    t.raw AS raw
FROM tokens AS t
LEFT JOIN contracts AS c ON c.id = t.contract_id
LEFT JOIN resolutions AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id;
