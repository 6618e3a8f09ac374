-- +goose Up
-- +mintburn compatible_from none
-- Older programs would leave the new columns as they are. A load counts at its end. The
-- records are counted before contracts is locked, so that reads go on meanwhile.
CREATE TABLE counted AS SELECT id,
    (SELECT count(*) FROM mints WHERE contract_id = contracts.id) AS mints,
    (SELECT count(*) FROM burns WHERE contract_id = contracts.id) AS burns
FROM contracts WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 'pending_indexes');
ALTER TABLE contracts ADD COLUMN mint_count bigint;
ALTER TABLE contracts ADD COLUMN burn_count bigint;
UPDATE contracts SET mint_count = counted.mints, burn_count = counted.burns FROM counted WHERE counted.id = contracts.id;
DROP TABLE counted;
