-- +goose Up
-- +mintburn compatible_from 8
-- docs/data.md#sql-views lists the columns, which are stable. A migration that replaces or
-- drops what a view reads drops the view first.

-- The number of a stored integer, a length byte and up to 32 others: four parts of 60 bits,
-- and one of 16, which exact arithmetic joins.
CREATE FUNCTION mintburn_numeric(stored bytea) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ('x' || substr(lpad(encode(substr(stored, 2), 'hex'), 64, '0'), 1, 4))::bit(16)::integer * 1766847064778384329583297500742918515827483896875618958121606201292619776
        + ('x' || substr(lpad(encode(substr(stored, 2), 'hex'), 64, '0'), 5, 15))::bit(60)::bigint * 1532495540865888858358347027150309183618739122183602176
        + ('x' || substr(lpad(encode(substr(stored, 2), 'hex'), 64, '0'), 20, 15))::bit(60)::bigint * 1329227995784915872903807060280344576
        + ('x' || substr(lpad(encode(substr(stored, 2), 'hex'), 64, '0'), 35, 15))::bit(60)::bigint * 1152921504606846976::numeric
        + ('x' || substr(lpad(encode(substr(stored, 2), 'hex'), 64, '0'), 50, 15))::bit(60)::bigint
$$;

CREATE VIEW v_mints AS
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
    m.sub_index AS sub_index
FROM mints AS m
LEFT JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

CREATE VIEW v_burns AS
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
    m.sub_index AS sub_index
FROM burns AS m
LEFT JOIN contracts AS c ON c.id = m.contract_id
LEFT JOIN blocks AS b ON b.id = m.id >> 30;

CREATE VIEW v_tokens AS
SELECT
    '0x' || encode(c.address, 'hex') AS collection_address,
    CASE WHEN c.standards = 2 OR c.standards = 0 AND t.uri_has_id THEN 'ERC1155' ELSE 'ERC721' END AS collection_type,
    mintburn_numeric(t.token_id) AS token_id,
    t.external_url AS external_url,
    t.image_data AS image_data,
    t.background_color AS background_color,
    t.youtube_url AS youtube_url,
    t.updated_at AS updated_at,
    t.name AS name,
    t.description AS description,
    t.image AS image,
    t.animation_url AS animation_url,
    rtrim(t.attributes, E'\n') AS attributes,
    t.uri AS uri,
    t.fetched_at AS fetched_at,
    CASE WHEN r.error IS NOT NULL THEN 'FAILED' WHEN r.state <> 'done' THEN 'PENDING' ELSE 'RESOLVED' END AS state,
    r.error AS error,
    t.raw AS raw
FROM tokens AS t
LEFT JOIN contracts AS c ON c.id = t.contract_id
LEFT JOIN resolutions AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id;
