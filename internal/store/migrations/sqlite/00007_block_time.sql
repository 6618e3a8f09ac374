-- +goose Up
-- +mintburn compatible_from 6
CREATE INDEX blocks_time ON blocks (time);
-- The lowest block whose time is below that of a block before it, if times fall.
INSERT INTO settings (id, value)
SELECT 'times_fall', CAST(MIN(id) AS text) FROM (SELECT id, time, LAG(time) OVER (ORDER BY id) AS before FROM blocks) AS pairs
WHERE time < before HAVING COUNT(*) > 0
ON CONFLICT (id) DO UPDATE SET value = excluded.value;
