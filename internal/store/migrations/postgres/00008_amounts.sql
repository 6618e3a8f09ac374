-- +goose Up
-- +mintburn compatible_from none
-- Older programs would leave the new columns as they are. SQL can't add amounts, so migration 23
-- creates the counters anew.
DELETE FROM counters;
ALTER TABLE counters ADD COLUMN amount bytea;
ALTER TABLE contracts ADD COLUMN first_log bigint;
ALTER TABLE contracts ADD COLUMN token_count bigint;
ALTER TABLE contracts ADD COLUMN resolved bigint NOT NULL DEFAULT 0;
ALTER TABLE contracts ADD COLUMN pending bigint NOT NULL DEFAULT 0;
ALTER TABLE contracts ADD COLUMN failed bigint NOT NULL DEFAULT 0;
ALTER TABLE contracts ADD COLUMN recordless bigint NOT NULL DEFAULT 0;

-- Not contract by contract: a database that is loaded has no index on them.
UPDATE contracts SET first_log = begun.log FROM (
    SELECT contract_id, min(log) AS log FROM (
        SELECT mints.contract_id, (mints.id >> 30 << 30) | log_index AS log
        FROM (SELECT min(id) AS id FROM mints GROUP BY contract_id) AS first JOIN mints ON mints.id = first.id
        UNION ALL
        SELECT burns.contract_id, (burns.id >> 30 << 30) | log_index
        FROM (SELECT min(id) AS id FROM burns GROUP BY contract_id) AS first JOIN burns ON burns.id = first.id
    ) AS of_each_kind GROUP BY contract_id
) AS begun WHERE begun.contract_id = contracts.id;

UPDATE contracts SET
    failed = (SELECT count(*) FROM resolutions WHERE contract_id = contracts.id AND error IS NOT NULL),
    pending = (SELECT count(*) FROM tokens JOIN resolutions AS r ON r.contract_id = tokens.contract_id AND r.token_id = tokens.token_id
        WHERE tokens.contract_id = contracts.id AND r.error IS NULL AND r.state <> 'done'),
    resolved = (SELECT count(*) FROM tokens LEFT JOIN resolutions AS r ON r.contract_id = tokens.contract_id AND r.token_id = tokens.token_id
        WHERE tokens.contract_id = contracts.id AND r.error IS NULL AND (r.state IS NULL OR r.state = 'done'));

-- What a load leaves to its end.
UPDATE contracts SET
    token_count = (SELECT count(*) FROM (SELECT DISTINCT token_id FROM mints WHERE contract_id = contracts.id) AS minted)
        + (SELECT count(*) FROM (SELECT DISTINCT token_id FROM burns WHERE contract_id = contracts.id
            AND NOT EXISTS (SELECT 1 FROM mints WHERE mints.contract_id = burns.contract_id AND mints.token_id = burns.token_id)) AS burned),
    recordless = (SELECT count(*) FROM (
            SELECT contract_id, token_id FROM tokens WHERE contract_id = contracts.id
            UNION SELECT contract_id, token_id FROM resolutions WHERE contract_id = contracts.id AND error IS NOT NULL
        ) AS tried
        WHERE NOT EXISTS (SELECT 1 FROM mints WHERE mints.contract_id = tried.contract_id AND mints.token_id = tried.token_id)
        AND NOT EXISTS (SELECT 1 FROM burns WHERE burns.contract_id = tried.contract_id AND burns.token_id = tried.token_id))
WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 'pending_indexes');
