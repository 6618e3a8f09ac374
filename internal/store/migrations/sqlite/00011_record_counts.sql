-- +goose Up
-- +mintburn compatible_from none
-- Older programs would leave the new columns as they are. A load counts at its end.
ALTER TABLE contracts ADD COLUMN mint_count integer;
ALTER TABLE contracts ADD COLUMN burn_count integer;
UPDATE contracts SET
    mint_count = (SELECT count(*) FROM mints WHERE contract_id = contracts.id),
    burn_count = (SELECT count(*) FROM burns WHERE contract_id = contracts.id)
WHERE NOT EXISTS (SELECT 1 FROM settings WHERE id = 'pending_indexes');
