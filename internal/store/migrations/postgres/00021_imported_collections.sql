-- +goose Up
-- +mintburn compatible_from 18
-- Earlier programs made a collection with an imported document due for no event: fetch each once.
UPDATE contract_metadata SET state = 'waiting', due_at = 0 WHERE state = 'done' AND seen_block IS NULL AND fetched_at IS NOT NULL;
