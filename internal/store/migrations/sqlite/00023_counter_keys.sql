-- +goose Up
-- +mintburn compatible_from none
-- A node is its key: scope, level and bucket. It has parts exactly when it has more than 512 records,
-- and no row without records, so that the rows follow from the records.
CREATE TABLE nodes (
    id     blob    PRIMARY KEY NOT NULL,
    n      integer NOT NULL,
    amount blob
) WITHOUT ROWID;
INSERT INTO nodes (id, n, amount)
SELECT CAST(scope || unhex(printf('%02x%016x', level, bucket)) AS blob), n, amount FROM counters AS node
WHERE n > 0 AND CASE level WHEN 0 THEN n > 512 ELSE EXISTS (SELECT 1 FROM counters AS above
    WHERE above.scope = node.scope AND above.level = node.level - 1
    AND above.bucket = node.bucket >> CASE node.level WHEN 1 THEN 9 ELSE 6 END AND above.n > 512) END
ORDER BY scope, level, bucket;
DROP TABLE counters;
ALTER TABLE nodes RENAME TO counters;
