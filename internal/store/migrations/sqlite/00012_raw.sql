-- +goose Up
-- +mintburn compatible_from none
-- A document may be stored without the texts that the columns repeat, see
-- internal/store/tables/raw.go. Stored documents stay as they are until they are fetched again.
DROP VIEW v_tokens;

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
LEFT JOIN contracts AS c ON c.id = t.contract_id
LEFT JOIN resolutions AS r ON r.contract_id = t.contract_id AND r.token_id = t.token_id;
