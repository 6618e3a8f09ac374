-- +goose Up
-- Columns get the names of the fields that they hold. SQLite changes the
-- definitions of indexes with them, but not the statements of a load that is not
-- finished.
ALTER TABLE contracts RENAME COLUMN shapes TO standards;
ALTER TABLE blocks RENAME COLUMN hash_head TO hash_prefix;
ALTER TABLE blocks RENAME COLUMN hash_tail TO hash_suffix;
ALTER TABLE mints RENAME COLUMN tx_head TO tx_prefix;
ALTER TABLE mints RENAME COLUMN tx_tail TO tx_suffix;
ALTER TABLE mints RENAME COLUMN account_head TO account_prefix;
ALTER TABLE mints RENAME COLUMN account_tail TO account_suffix;
ALTER TABLE burns RENAME COLUMN tx_head TO tx_prefix;
ALTER TABLE burns RENAME COLUMN tx_tail TO tx_suffix;
ALTER TABLE burns RENAME COLUMN account_head TO account_prefix;
ALTER TABLE burns RENAME COLUMN account_tail TO account_suffix;
ALTER TABLE resolutions RENAME COLUMN shape TO standard;
ALTER TABLE resolutions RENAME COLUMN turn TO due_at;
ALTER TABLE resolutions RENAME COLUMN tried_at TO attempted_at;
DROP INDEX resolutions_turn;
DROP INDEX resolutions_contract_turn;
CREATE INDEX resolutions_due ON resolutions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX resolutions_contract_due ON resolutions (contract_id, due_at) WHERE due_at IS NOT NULL;
UPDATE settings SET id = 'pending_indexes',
    value = replace(replace(replace(value, 'tx_head', 'tx_prefix'), 'account_head', 'account_prefix'), 'hash_head', 'hash_prefix')
WHERE id = 'postponed';
