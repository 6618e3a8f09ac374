-- mints, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
ORDER BY `mints`.`id`
LIMIT 21;

-- mints, ASC: page
SELECT `contracts`.`id`, `contracts`.`address`
FROM `contracts`
WHERE `contracts`.`id` IN (?, ?, ?, ?, ?, ?);

-- mints, ASC: token metadata of a page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE (`tokens`.`contract_id`, `tokens`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?));

-- mints, ASC: token metadata of a page
SELECT `t1`.`address`, `t1`.`standards`, `resolutions`.`contract_id`, `resolutions`.`token_id`,
  `resolutions`.`standard`, `resolutions`.`attempted_at`, `resolutions`.`state`, `resolutions`.`error`,
  `resolutions`.`attempts`, `resolutions`.`due_at`, octet_length(`resolutions`.`uri`)
FROM `resolutions`
JOIN `contracts` AS `t1` ON `resolutions`.`contract_id` + 0 = `t1`.`id`
WHERE (`resolutions`.`contract_id`, `resolutions`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?), (?, ?), (?, ?));

-- mints, ASC: token metadata of a page
SELECT `traits`.`contract_id`, `traits`.`trait`, `traits`.`distinct_values`
FROM `traits`
WHERE (`traits`.`contract_id`, `traits`.`trait`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?));

-- mints, ASC: total
SELECT i, (SELECT COALESCE(CAST(SUM(n) * 2 + MAX(CAST(split AS int)) AS bigint), 0)
FROM counters
WHERE scope = ? AND level = at AND bucket BETWEEN low AND high)
FROM (SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high) AS parts;

-- mints, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
ORDER BY `mints`.`id`
LIMIT 1;

-- mints, ASC: buckets
SELECT `blocks`.`id`, `blocks`.`hash_prefix`, `blocks`.`hash_suffix`, `blocks`.`parent_hash`, `blocks`.`time`
FROM `blocks`
WHERE `blocks`.`id` = ?;

-- mints, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints, ASC: buckets
SELECT `settings`.`id`, `settings`.`value`
FROM `settings`
WHERE `settings`.`id` = ?;

-- mints, ASC: buckets
WITH k(t) AS MATERIALIZED (SELECT value
FROM json_each(?)) SELECT (SELECT id
FROM blocks
WHERE time >= k.t
ORDER BY time, id
LIMIT 1)
FROM k;

-- mints, ASC: buckets
WITH parts(at, low, high) AS MATERIALIZED (SELECT value ->> 0, value ->> 1, value ->> 2
FROM json_each(?)) SELECT (SELECT COALESCE(CAST(SUM(n) * 2 + MAX(CAST(split AS int)) AS bigint), 0)
FROM counters
WHERE scope = ? AND level = at AND bucket BETWEEN low AND high)
FROM parts;

-- mints, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= k.lo AND `mints`.`id` <= k.hi
ORDER BY `mints`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= k.lo AND `mints`.`id` <= k.hi
ORDER BY `mints`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- mints, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints, ASC: page after a cursor
SELECT `blocks`.`hash_prefix`
FROM `blocks`
WHERE `blocks`.`id` = ?;

-- mints, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints: one by its id
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints, DESC: token metadata of a page
SELECT `traits`.`contract_id`, `traits`.`trait`, `traits`.`distinct_values`
FROM `traits`
WHERE (`traits`.`contract_id`, `traits`.`trait`) IN (VALUES (?, ?));

-- burns, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
ORDER BY `burns`.`id`
LIMIT 21;

-- burns, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
ORDER BY `burns`.`id`
LIMIT 1;

-- burns, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= k.lo AND `burns`.`id` <= k.hi
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= k.lo AND `burns`.`id` <= k.hi
ORDER BY `burns`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= k.lo AND `burns`.`id` <= k.hi
ORDER BY `burns`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- burns, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns: one by its id
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 1;

-- mints from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints from a block on, ASC: total
SELECT i, (SELECT COALESCE(CAST(SUM(n) * 2 + MAX(CAST(split AS int)) AS bigint), 0)
FROM counters
WHERE scope = ? AND level = at AND bucket BETWEEN low AND high)
FROM (SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high) AS parts;

-- mints from a block on, ASC: buckets
SELECT `id`
FROM `blocks`
WHERE `id` >= ? AND `id` <= ?
ORDER BY `id` ASC
LIMIT 1;

-- mints from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 21;

-- burns from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 512) AS `few`;

-- burns from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns from a block on, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns from a block on, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 21;

-- mints up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints up to a block, ASC: buckets
SELECT `id`
FROM `blocks`
WHERE `id` >= ? AND `id` <= ?
ORDER BY `id` DESC
LIMIT 1;

-- mints up to a block, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints up to a block, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints up to a block, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns up to a block, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns up to a block, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns up to a block, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?;

-- mints of a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?;

-- burns of a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?;

-- burns of a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?;

-- mints of a block by its hash, ASC: page
SELECT `blocks`.`id`
FROM `blocks`
WHERE `blocks`.`hash_prefix` = ? AND `blocks`.`hash_suffix` = ?;

-- mints of a block by its hash, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`id` >= ? AND `mints`.`id` <= ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a block by its hash, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`id` >= ? AND `burns`.`id` <= ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a block, ASC: page
SELECT `coverage`.`from_block`, `coverage`.`to_block`
FROM `coverage`
WHERE `coverage`.`kind` = ? AND `coverage`.`from_block` <= ?
ORDER BY `coverage`.`from_block` DESC
LIMIT 1;

-- mints of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- mints of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a collection, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a collection, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a collection, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a collection, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a collection, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a collection, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- burns of a collection, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a collection, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a collection, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a collection, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of a collection from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`;

-- mints of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a collection from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a collection from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a collection from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a collection from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a collection from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a collection from a block on, ASC: token metadata of a page
SELECT `t1`.`address`, `t1`.`standards`, `resolutions`.`contract_id`, `resolutions`.`token_id`,
  `resolutions`.`standard`, `resolutions`.`attempted_at`, `resolutions`.`state`, `resolutions`.`error`,
  `resolutions`.`attempts`, `resolutions`.`due_at`, octet_length(`resolutions`.`uri`)
FROM `resolutions`
JOIN `contracts` AS `t1` ON `resolutions`.`contract_id` + 0 = `t1`.`id`
WHERE (`resolutions`.`contract_id`, `resolutions`.`token_id`) IN (VALUES (?, ?));

-- burns of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`;

-- burns of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a collection from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a collection from a block on, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection from a block on, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a collection up to a block, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a collection up to a block, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a collection up to a block, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a collection up to a block, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a collection up to a block, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a collection up to a block, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a collection in a range, ASC: token metadata of a page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE (`tokens`.`contract_id`, `tokens`.`token_id`) IN (VALUES (?, ?));

-- burns of a collection in a range, ASC: page after a cursor
SELECT `coverage`.`from_block`, `coverage`.`to_block`, (SELECT CASE WHEN COALESCE((SELECT id
FROM mints
WHERE id < at
ORDER BY id
LIMIT 1), (SELECT id
FROM burns
WHERE id < at
ORDER BY id
LIMIT 1)) IS NULL THEN at ELSE 0 END
FROM (SELECT CAST(value AS bigint) << 30 AS at
FROM settings
WHERE id = 'deployment') AS deployed)
FROM `coverage`
WHERE `coverage`.`kind` = ?
ORDER BY `coverage`.`from_block`;

-- burns of a collection, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`contract_id` = ?;

-- burns of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ?;

-- burns of a collection from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?);

-- burns of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?);

-- burns of a collection up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?);

-- burns of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND likely(`burns`.`id` <= ?);

-- burns of a collection in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- mints of a collection, ASC: page
SELECT `contracts`.`id`
FROM `contracts`
WHERE `contracts`.`address` = ?;

-- mints of a token of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a token of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of a token of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- mints of a token of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a token of a collection, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a token of a collection, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a token of a collection, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a token of a collection, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a token of a collection, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a token of a collection, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a token of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a token of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of a token of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- burns of a token of a collection, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a token of a collection, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a token of a collection, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a token of a collection, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a token of a collection, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a token of a collection, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a token of a collection, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of a token of a collection from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a token of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`;

-- mints of a token of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a token of a collection from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a token of a collection from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a token of a collection from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a token of a collection from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a token of a collection from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a token of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`;

-- burns of a token of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a token of a collection from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a token of a collection from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a token of a collection from a block on, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a token of a collection from a block on, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of a token of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a token of a collection up to a block, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a token of a collection up to a block, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a token of a collection up to a block, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a token of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a token of a collection up to a block, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a token of a collection up to a block, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a token of a collection up to a block, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a token of a collection, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?;

-- mints of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?;

-- burns of a token of a collection, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?;

-- burns of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`contract_id` = ? AND `burns`.`token_id` = ?;

-- mints of a token of a collection from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a token of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?);

-- burns of a token of a collection from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a token of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?);

-- mints of a token of a collection up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?);

-- mints of a token of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?);

-- burns of a token of a collection up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?);

-- burns of a token of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?);

-- mints of a token of a collection in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of a token of a collection in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of a token of a collection in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a token of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- mints of a transaction, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?;

-- mints of a transaction, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?;

-- mints of a transaction, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?;

-- burns of a transaction, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a transaction from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction from a block on, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction up to a block, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?);

-- mints of a transaction up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction up to a block, DESC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a transaction up to a block, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?);

-- burns of a transaction up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction up to a block, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of a transaction in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of a transaction in a range, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction in a range, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- mints of a transaction of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a collection, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?;

-- mints of a transaction of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?;

-- mints of a transaction of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a collection, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a collection, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a collection, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?;

-- burns of a transaction of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a collection, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a collection from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction of a collection from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a collection from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction of a collection from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a transaction of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a collection from a block on, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection up to a block, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a collection up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?);

-- mints of a transaction of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a collection up to a block, DESC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a transaction of a collection up to a block, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a collection up to a block, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a collection in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of a transaction of a collection in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of a transaction of a collection in a range, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a collection in a range, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a transaction, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?;

-- burns of a transaction, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?;

-- burns of a transaction of a collection, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a collection, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a collection, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a collection, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a collection, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a collection from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- mints of an account, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of an account, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- mints of an account, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of an account, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of an account, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- burns of an account, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of an account from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`;

-- mints of an account from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of an account from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`;

-- burns of an account from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account from a block on, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account from a block on, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of an account up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account up to a block, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account up to a block, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account up to a block, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of an account up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account up to a block, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account up to a block, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account up to a block, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of an account of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of an account of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- mints of an account of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account of a collection, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account of a collection, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account of a collection, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account of a collection, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account of a collection, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account of a collection, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of an account of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of an account of a collection, ASC: buckets
WITH k(lo, hi) AS MATERIALIZED (SELECT value ->> 0, value ->> 1
FROM json_each(?)) SELECT (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 1) AS one), (SELECT one.id
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS one)
FROM k;

-- burns of an account of a collection, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account of a collection, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account of a collection, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account of a collection, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account of a collection, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account of a collection, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account of a collection, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of an account of a collection from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`;

-- mints of an account of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account of a collection from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account of a collection from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of an account of a collection from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of an account of a collection from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of an account of a collection from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account of a collection from a block on, ASC: total
SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`;

-- burns of an account of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account of a collection from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account of a collection from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of an account of a collection from a block on, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of an account of a collection from a block on, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- mints of an account of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account of a collection up to a block, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of an account of a collection up to a block, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of an account of a collection up to a block, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of an account of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account of a collection up to a block, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of an account of a collection up to a block, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of an account of a collection up to a block, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of an account of a collection, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?;

-- mints of an account of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?;

-- burns of an account of a collection, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?;

-- burns of an account of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?;

-- mints of an account of a collection from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- mints of an account of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- burns of an account of a collection from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- burns of an account of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- mints of an account of a collection up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?);

-- mints of an account of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?);

-- burns of an account of a collection up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?);

-- burns of an account of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?);

-- mints of an account of a collection in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of an account of a collection in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of an account of a collection in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of an account of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- mints of an account, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?;

-- mints of an account, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE `mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?;

-- burns of an account, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?;

-- burns of an account, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE `burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?;

-- mints of an account from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- mints of an account from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?);

-- burns of an account from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- burns of an account from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?);

-- mints of an account up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?);

-- mints of an account up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` <= ?);

-- burns of an account up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?);

-- burns of an account up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` <= ?);

-- mints of an account in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of an account in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of an account in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of an account in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- mints of a transaction of a token of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a token of a collection, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?;

-- mints of a transaction of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a token of a collection, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?;

-- mints of a transaction of a token of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection, ASC: page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a token of a collection, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a token of a collection, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a token of a collection, ASC: the last page after a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?;

-- burns of a transaction of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a token of a collection, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a token of a collection from a block on, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction of a token of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a token of a collection from a block on, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?);

-- mints of a transaction of a token of a collection from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection from a block on, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
WHERE ((((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1;

-- mints of a transaction of a token of a collection from a block on, ASC: page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection from a block on, ASC: the first page before a cursor
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection from a block on, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a transaction of a token of a collection from a block on, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a token of a collection from a block on, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection up to a block, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a transaction of a token of a collection up to a block, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?);

-- mints of a transaction of a token of a collection up to a block, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1;

-- mints of a transaction of a token of a collection up to a block, DESC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a transaction of a token of a collection up to a block, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection up to a block, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a token of a collection up to a block, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a token of a collection up to a block, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a transaction of a token of a collection in a range, ASC: total
SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- mints of a transaction of a token of a collection in a range, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
WHERE ((((`mints`.`tx_prefix` = ? AND +`mints`.`tx_suffix` = ?) AND +`mints`.`contract_id` = ?) AND +`mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?);

-- burns of a transaction of a token of a collection in a range, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection in a range, ASC: total
SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a token of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?);

-- burns of a transaction of a token of a collection in a range, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a token of a collection in a range, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?);

-- burns of a transaction of a token of a collection, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?;

-- burns of a transaction of a token of a collection, ASC: page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- burns of a transaction of a token of a collection, ASC: page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a token of a collection, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id`
LIMIT 1;

-- burns of a transaction of a token of a collection, ASC: the last page after a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- burns of a transaction of a token of a collection, ASC: the first page before a cursor
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a transaction of a token of a collection from a block on, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
WHERE ((((`burns`.`tx_prefix` = ? AND +`burns`.`tx_suffix` = ?) AND +`burns`.`contract_id` = ?) AND +`burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1;

-- mints of a block of collections, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of a block of collections, ASC: total
WITH k(b, n) AS MATERIALIZED (SELECT unhex(value), key + 1
FROM json_each(?)) SELECT k.n, i, (SELECT COALESCE(CAST(SUM(n) * 2 + MAX(CAST(split AS int)) AS bigint), 0)
FROM counters
WHERE scope = k.b AND level = at AND bucket BETWEEN low AND high)
FROM k
JOIN counters AS root ON root.scope = k.b AND root.level = 0 AND root.bucket = 0 CROSS
JOIN (SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high
UNION ALL SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high) AS parts;

-- mints of a block of collections, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of a block of collections, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of a block of collections, ASC: what precedes page after a cursor
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of a block of collections, ASC: what follows page before a cursor
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of a block of collections, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of a block of collections, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of a block of collections, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of a block of collections, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of a block of collections, ASC: what precedes page after a cursor
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of a block of collections, ASC: what follows page before a cursor
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of a block by its hash of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a block by its hash of a collection, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE (`mints`.`contract_id` = ? AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a block by its hash of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a block by its hash of a collection, DESC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE (`burns`.`contract_id` = ? AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a block by its hash of a token of a collection, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a block by its hash of a token of a collection, DESC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`contract_id` = ? AND `mints`.`token_id` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a block by its hash of a token of a collection, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a block by its hash of a token of a collection, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`contract_id` = ? AND `burns`.`token_id` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a block by its hash of an account, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 21;

-- mints of a block by its hash of an account, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE ((`mints`.`account_prefix` = ? AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 21;

-- burns of a block by its hash of an account, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 21;

-- burns of a block by its hash of an account, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t1`.`hash_prefix`,
  `t1`.`hash_suffix`, `t1`.`time`
FROM `burns`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `burns`.`id` >> 30
WHERE ((`burns`.`account_prefix` = ? AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 21;

-- mints of a block by its hash of collections, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of a block by its hash of collections, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of a block by its hash of collections, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of a block by its hash of collections, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of collections, ASC: page
SELECT `contracts`.`id`, `contracts`.`address`
FROM `contracts`
WHERE `contracts`.`address` IN (?);

-- mints of collections, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of collections, ASC: total
WITH k(b, n) AS MATERIALIZED (SELECT unhex(value), key + 1
FROM json_each(?)) SELECT k.n, i, (SELECT COALESCE(CAST(SUM(n) * 2 + MAX(CAST(split AS int)) AS bigint), 0)
FROM counters
WHERE scope = k.b AND level = at AND bucket BETWEEN low AND high)
FROM k
JOIN counters AS root ON root.scope = k.b AND root.level = 0 AND root.bucket = 0 CROSS
JOIN (SELECT CAST(? AS bigint) AS i, CAST(? AS bigint) AS at, CAST(? AS bigint) AS low,
  CAST(? AS bigint) AS high) AS parts;

-- mints of collections, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of collections, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of collections, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of accounts, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of accounts, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi))
FROM k;

-- mints of accounts, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of accounts, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of accounts, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of accounts, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of accounts, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of accounts, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of accounts, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of accounts, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of accounts from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of accounts from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of accounts from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of accounts from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of accounts from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of accounts from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of transactions, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of transactions, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi))
FROM k;

-- mints of transactions, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of transactions, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of transactions, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of transactions, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of transactions, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of transactions, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of transactions, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of transactions, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of transactions from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of transactions from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`tx_prefix` = k.n AND +`mints`.`tx_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of transactions from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of transactions from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`tx_prefix` = k.n AND +`burns`.`tx_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of tokens, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of tokens, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi))
FROM k;

-- mints of tokens, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of tokens, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of tokens, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of tokens, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of tokens, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of tokens, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of tokens, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of tokens, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of tokens from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of tokens from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of tokens from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of tokens from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of tokens from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of tokens from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of an account of collections, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of an account of collections, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi))
FROM k;

-- mints of an account of collections, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of an account of collections, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of an account of collections, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of an account of collections, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of an account of collections, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of an account of collections, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of an account of collections, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of an account of collections, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of an account of collections from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of an account of collections from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of an account of collections from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = ? AND `mints`.`contract_id` = k.n) AND +`mints`.`account_suffix` = ?) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of an account of collections from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of an account of collections from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of an account of collections from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = ? AND `burns`.`contract_id` = k.n) AND +`burns`.`account_suffix` = ?) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of a collection of accounts, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of a collection of accounts, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`mints`.`id`)
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi))
FROM k;

-- mints of a collection of accounts, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- mints of a collection of accounts, ASC: buckets
SELECT `mints`.`id`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- mints of a collection of accounts, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of a collection of accounts, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of a collection of accounts, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(`burns`.`id`)
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi))
FROM k;

-- burns of a collection of accounts, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` ASC;

-- burns of a collection of accounts, ASC: buckets
SELECT `burns`.`id`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 1) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
ORDER BY `merged`.`id` DESC;

-- burns of a collection of accounts, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1 OFFSET 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints of a collection of accounts from a block on, ASC: page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- mints of a collection of accounts from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.lo)) AND likely(`mints`.`id` <= k.hi)
ORDER BY `mints`.`id`
LIMIT 512) AS `few`)
FROM k;

-- mints of a collection of accounts from a block on, ASC: the last page
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE (((`mints`.`account_prefix` = k.n AND `mints`.`contract_id` = ?) AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= k.id - 1)
ORDER BY `mints`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- burns of a collection of accounts from a block on, ASC: page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- burns of a collection of accounts from a block on, ASC: total
WITH k(n, b, lo, hi) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3
FROM json_each(?)) SELECT (SELECT COUNT(*)
FROM (SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.lo)) AND likely(`burns`.`id` <= k.hi)
ORDER BY `burns`.`id`
LIMIT 512) AS `few`)
FROM k;

-- burns of a collection of accounts from a block on, ASC: the last page
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`, (SELECT `coverage`.`from_block`
FROM `coverage`
WHERE `coverage`.`kind` = 'indexed'
ORDER BY `coverage`.`from_block` DESC
LIMIT 1)
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE (((`burns`.`account_prefix` = k.n AND `burns`.`contract_id` = ?) AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= k.id - 1)
ORDER BY `burns`.`id` DESC
LIMIT 1), -1), n, b
FROM walk AS k
WHERE id <> -1
ORDER BY 1 DESC
LIMIT 21) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` DESC;

-- mints in a range of times, ASC: page
SELECT (SELECT value
FROM settings
WHERE id = 'times_fall'), (SELECT value
FROM settings
WHERE id = 'finalized'), (SELECT id
FROM blocks
WHERE time < ?
ORDER BY time DESC, id DESC
LIMIT 1), (SELECT id
FROM blocks
WHERE time >= ?
ORDER BY time, id
LIMIT 1), (SELECT id
FROM blocks
WHERE time > ?
ORDER BY time, id
LIMIT 1);

-- tokens of a collection: page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ?
ORDER BY `tokens`.`token_id`
LIMIT 21;

-- tokens of a collection: total
SELECT `contracts`.`tokens`
FROM `contracts`
WHERE `contracts`.`id` = ?;

-- tokens of a collection: the last page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ?
ORDER BY `tokens`.`token_id` DESC
LIMIT 21;

-- tokens of a collection: page after a cursor
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` > ?
ORDER BY `tokens`.`token_id`
LIMIT 21;

-- tokens of a collection: what precedes page after a cursor
SELECT `tokens`.`id`
FROM `tokens`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` < ?
ORDER BY `tokens`.`token_id`
LIMIT 1;

-- tokens of a collection: page before a cursor
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` < ?
ORDER BY `tokens`.`token_id` DESC
LIMIT 21;

-- tokens of a collection: what follows page before a cursor
SELECT `tokens`.`id`
FROM `tokens`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` > ?
ORDER BY `tokens`.`token_id`
LIMIT 1;

-- tokens of a collection: the last page after a cursor
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` > ?
ORDER BY `tokens`.`token_id` DESC
LIMIT 21;

-- tokens of a collection: the first page before a cursor
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN CASE WHEN substr(`tokens`.`raw`, 1,
  1) = '\' THEN replace(replace(replace(replace(replace(replace(replace(replace(substr(`tokens`.`raw`, 2),
  '\1', COALESCE('"' || `tokens`.`name` || '"', '\1')), '\2', COALESCE('"' || `tokens`.`description` || '"',
  '\2')), '\3', COALESCE('"' || `tokens`.`image` || '"', '\3')), '\4',
  COALESCE('"' || `tokens`.`external_url` || '"', '\4')), '\5', COALESCE('"' || `tokens`.`image_data` || '"',
  '\5')), '\6', COALESCE('"' || `tokens`.`background_color` || '"', '\6')), '\7',
  COALESCE('"' || `tokens`.`youtube_url` || '"', '\7')), '\8', COALESCE('"' || `tokens`.`animation_url` || '"',
  '\8')) ELSE `tokens`.`raw` END ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`display_types` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` < ?
ORDER BY `tokens`.`token_id`
LIMIT 21;

-- tokens of a collection: what precedes no page after a cursor
SELECT `tokens`.`id`
FROM `tokens`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` <= ?
ORDER BY `tokens`.`token_id`
LIMIT 1;

-- collections: by their addresses
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)) SELECT `b`
FROM `k`) AS `named` ON `contracts`.`address` = `named`.`b`
WHERE `contracts`.`first_log` IS NOT NULL;

-- traits of a collection: page
SELECT `contracts`.`traits`
FROM `contracts`
WHERE `contracts`.`id` = ?;

-- traits of a collection: page
SELECT `traits`.`trait`, `traits`.`name`, `traits`.`tokens`, `traits`.`distinct_values`
FROM `traits`
WHERE `traits`.`contract_id` = ? AND tokens > 0
ORDER BY `traits`.`name`, `traits`.`trait`
LIMIT 21;

-- traits of a collection: page after a cursor
SELECT `traits`.`name`
FROM `traits`
WHERE `traits`.`contract_id` = ? AND `traits`.`trait` = ?;

-- traits of a collection: page after a cursor
SELECT `traits`.`trait`, `traits`.`name`, `traits`.`tokens`, `traits`.`distinct_values`
FROM `traits`
WHERE (`traits`.`contract_id` = ? AND tokens > 0) AND (`traits`.`name`, `traits`.`trait`) > (?, ?)
ORDER BY `traits`.`name`, `traits`.`trait`
LIMIT 21;

-- traits of a collection: what precedes page after a cursor
SELECT `traits`.`id`
FROM `traits`
WHERE (`traits`.`contract_id` = ? AND tokens > 0) AND (`traits`.`name`, `traits`.`trait`) <= (?, ?)
ORDER BY `traits`.`name`, `traits`.`trait`
LIMIT 1;

-- traits of a collection: values
SELECT `trait_values`.`text`, `trait_values`.`tokens`
FROM `trait_values`
WHERE (`trait_values`.`contract_id` = ? AND `trait_values`.`trait` = ?) AND tokens > 0
ORDER BY `trait_values`.`tokens` DESC, `trait_values`.`text`
LIMIT 100;

-- tokens with 1 traits: page
SELECT `trait_values`.`id`, `trait_values`.`tokens`
FROM `trait_values`
WHERE (`trait_values`.`contract_id` = ? AND `trait_values`.`trait` = ?) AND `trait_values`.`value` = ?;

-- tokens with 1 traits: page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ?
ORDER BY p.token_id
LIMIT 21;

-- tokens with 1 traits: page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`), 0) END, `t1`.`address`,
  `t1`.`standards`, `t1`.`traits_version`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
WHERE (`tokens`.`contract_id`, `tokens`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?),
  (?, ?));

-- tokens with 1 traits: total
SELECT COUNT(DISTINCT p.token_id)
FROM trait_tokens AS p
WHERE p.value_id IN (SELECT value
FROM json_each(?));

-- tokens with 1 traits: the last page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ?
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 1 traits: what precedes page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ?
ORDER BY p.token_id
LIMIT 1;

-- tokens with 1 traits: the last page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ?
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 1 traits: what precedes no page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id <= ?
ORDER BY p.token_id
LIMIT 1;

-- tokens with 2 traits: page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 21;

-- tokens with 2 traits: total
SELECT COUNT(DISTINCT p.token_id)
FROM trait_tokens AS p
WHERE p.value_id IN (SELECT value
FROM json_each(?)) AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL;

-- tokens with 2 traits: the last page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 2 traits: what precedes page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id <= ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 1;

-- tokens with 2 traits: the last page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 2 traits: the first page before a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 21;

-- tokens with 3 traits: page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 21;

-- tokens with 3 traits: total
SELECT COUNT(DISTINCT p.token_id)
FROM trait_tokens AS p
WHERE p.value_id IN (SELECT value
FROM json_each(?)) AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL;

-- tokens with 3 traits: the last page
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 3 traits: what precedes page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id <= ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 1;

-- tokens with 3 traits: what follows page before a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id >= ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 1;

-- tokens with 3 traits: the last page after a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id > ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id DESC
LIMIT 21;

-- tokens with 3 traits: the first page before a cursor
SELECT p.token_id
FROM trait_tokens AS p
WHERE p.value_id = ? AND p.token_id < ? AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL AND (SELECT 1
FROM trait_tokens AS q
WHERE q.value_id IN (SELECT value
FROM json_each(?)) AND q.token_id = p.token_id
LIMIT 1) IS NOT NULL
ORDER BY p.token_id
LIMIT 21;

-- tokens of a collection: versions
SELECT `versions`.`contract_id`, `versions`.`token_id`, `versions`.`number`, `versions`.`fetched_at`,
  `versions`.`cause`, `versions`.`text_bytes`
FROM `versions`
WHERE (`versions`.`contract_id`, `versions`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?),
  (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?));

-- tokens of a collection: versions
SELECT `versions`.`contract_id`, `versions`.`token_id`, `versions`.`number`, `versions`.`uri`,
  `versions`.`raw`
FROM `versions`
WHERE (`versions`.`contract_id`, `versions`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?),
  (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?));

-- chain
SELECT `coverage`.`id`, `coverage`.`kind`, `coverage`.`from_block`, `coverage`.`to_block`
FROM `coverage`
WHERE `coverage`.`kind` IN (?, ?)
ORDER BY `coverage`.`kind`, `coverage`.`from_block`;

-- chain
SELECT `settings`.`id`, `settings`.`value`
FROM `settings`;

-- details of transactions
SELECT `transactions`.`id`, `transactions`.`sender`, `transactions`.`receiver`, `transactions`.`value`,
  `transactions`.`fee`
FROM `transactions`
JOIN (WITH k(n) AS (SELECT value
FROM json_each(?)) SELECT `n`
FROM `k`) AS `named` ON `transactions`.`id` = `named`.`n`;

-- latest records of collections
WITH k(n, b) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)) SELECT ends.n, ends.b, m.id, m.log_index, m.sub_index, m.operator IS NOT NULL, u.id,
  u.log_index, u.sub_index, u.operator IS NOT NULL
FROM (SELECT k.n, k.b, (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS m, (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS u
FROM k) AS ends
LEFT JOIN mints AS m ON m.id = ends.m + 0
LEFT JOIN burns AS u ON u.id = ends.u + 0;

-- tokens with records of a collection: page
WITH RECURSIVE walk(n, b, i) AS (SELECT ?, ?, 0
UNION ALL SELECT n, (SELECT MIN(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1))), i + 1
FROM walk
WHERE b IS NOT NULL AND i < ?), k(n, b) AS (SELECT n, b
FROM walk
WHERE i > 0 AND b  < ?) SELECT k.n, k.b, 0, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL,
  few.amount
FROM k CROSS
JOIN mints AS few
WHERE contract_id = k.n AND token_id = k.b
UNION ALL SELECT k.n, k.b, 1, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL, few.amount
FROM k CROSS
JOIN burns AS few
WHERE contract_id = k.n AND token_id = k.b
LIMIT ? + 0;

-- tokens with records of a collection: page
WITH RECURSIVE walk(n, b, i) AS (SELECT ?, ?, 0
UNION ALL SELECT n, (SELECT MIN(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1))), i + 1
FROM walk
WHERE b IS NOT NULL AND i < ?), k(n, b) AS (SELECT n, b
FROM walk
WHERE i > 0 AND b  < ?) SELECT ends.n, ends.b, m.id, m.log_index, m.sub_index, m.operator IS NOT NULL, u.id,
  u.log_index, u.sub_index, u.operator IS NOT NULL
FROM (SELECT k.n, k.b, (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS m, (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS u
FROM k) AS ends
LEFT JOIN mints AS m ON m.id = ends.m + 0
LEFT JOIN burns AS u ON u.id = ends.u + 0;

-- tokens by their keys
WITH k(n, b) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)) SELECT k.n, k.b, 0, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL,
  few.amount
FROM k CROSS
JOIN mints AS few
WHERE contract_id = k.n AND token_id = k.b
UNION ALL SELECT k.n, k.b, 1, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL, few.amount
FROM k CROSS
JOIN burns AS few
WHERE contract_id = k.n AND token_id = k.b
LIMIT ? + 0;

-- tokens by their keys
WITH k(n, b) AS MATERIALIZED (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)) SELECT ends.n, ends.b, m.id, m.log_index, m.sub_index, m.operator IS NOT NULL, u.id,
  u.log_index, u.sub_index, u.operator IS NOT NULL
FROM (SELECT k.n, k.b, (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS m, (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS u
FROM k) AS ends
LEFT JOIN mints AS m ON m.id = ends.m + 0
LEFT JOIN burns AS u ON u.id = ends.u + 0;

-- pages of collections or tokens
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 4;

-- pages of collections or tokens
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t1`.`hash_prefix`, `t1`.`hash_suffix`,
  `t1`.`time`
FROM `mints`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `mints`.`id` >> 30
WHERE `mints`.`contract_id` = ? AND `mints`.`token_id` = ?
ORDER BY `mints`.`id` DESC
LIMIT 4;

-- one mint of each of collections
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30;

-- one mint of each of collections
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `mints`.`id`
FROM `mints`
WHERE (`mints`.`contract_id` = k.n AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30;

-- one burn of each of collections
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30;

-- one burn of each of collections
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `burns`.`id`
FROM `burns`
WHERE (`burns`.`contract_id` = k.n AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30;

-- one mint of each of tokens
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30;

-- one mint of each of tokens
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30;

-- one burn of each of tokens
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30;

-- one burn of each of tokens
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id) AS (SELECT (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1)
FROM k) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30;

-- tokens with records of a collection: total
SELECT `contracts`.`token_count`
FROM `contracts`
WHERE `contracts`.`id` = ?;

-- tokens with records of a collection: the last page
WITH RECURSIVE walk(n, b, i) AS (SELECT ?, ?, 0
UNION ALL SELECT n, (SELECT MAX(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1))), i + 1
FROM walk
WHERE b IS NOT NULL AND i < ?), k(n, b) AS (SELECT n, b
FROM walk
WHERE i > 0 AND b  > ?) SELECT k.n, k.b, 0, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL,
  few.amount
FROM k CROSS
JOIN mints AS few
WHERE contract_id = k.n AND token_id = k.b
UNION ALL SELECT k.n, k.b, 1, few.id, few.log_index, few.sub_index, few.operator IS NOT NULL, few.amount
FROM k CROSS
JOIN burns AS few
WHERE contract_id = k.n AND token_id = k.b
LIMIT ? + 0;

-- tokens with records of a collection: the last page
WITH RECURSIVE walk(n, b, i) AS (SELECT ?, ?, 0
UNION ALL SELECT n, (SELECT MAX(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1))), i + 1
FROM walk
WHERE b IS NOT NULL AND i < ?), k(n, b) AS (SELECT n, b
FROM walk
WHERE i > 0 AND b  > ?) SELECT ends.n, ends.b, m.id, m.log_index, m.sub_index, m.operator IS NOT NULL, u.id,
  u.log_index, u.sub_index, u.operator IS NOT NULL
FROM (SELECT k.n, k.b, (SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`contract_id` = k.n AND `mints`.`token_id` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id` DESC
LIMIT 1) AS m, (SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`contract_id` = k.n AND `burns`.`token_id` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id` DESC
LIMIT 1) AS u
FROM k) AS ends
LEFT JOIN mints AS m ON m.id = ends.m + 0
LEFT JOIN burns AS u ON u.id = ends.u + 0;

-- tokens with records of a collection: what precedes page after a cursor
WITH walk(n, b) AS (SELECT ?, ?) SELECT (SELECT MAX(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id < walk.b
ORDER BY token_id DESC
LIMIT 1)))
FROM walk;

-- tokens with records of a collection: what follows page before a cursor
WITH walk(n, b) AS (SELECT ?, ?) SELECT (SELECT MIN(b)
FROM (SELECT (SELECT token_id
FROM mints
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1) AS b
UNION ALL SELECT (SELECT token_id
FROM burns
WHERE contract_id = walk.n AND token_id > walk.b
ORDER BY token_id
LIMIT 1)))
FROM walk;

-- collections: page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
WHERE `contracts`.`first_log` >= ? AND `contracts`.`first_log` <= ?
ORDER BY `contracts`.`first_log` DESC
LIMIT 21;

-- collections: the last page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
WHERE `contracts`.`first_log` >= ? AND `contracts`.`first_log` <= ?
ORDER BY `contracts`.`first_log` ASC
LIMIT 21;

-- names of collections
SELECT `contract_metadata`.`contract_id`, `contract_metadata`.`name`, `contract_metadata`.`symbol`
FROM `contract_metadata`
WHERE `contract_metadata`.`contract_id` IN (?, ?);

-- metadata of collections
SELECT `contract_metadata`.`contract_id`, `contract_metadata`.`state`, `contract_metadata`.`attempted_at`,
  `contract_metadata`.`fetched_at`, `contract_metadata`.`error`,
  COALESCE(octet_length(`contract_metadata`.`uri`), 0), COALESCE(octet_length(`contract_metadata`.`content`),
  0), COALESCE(octet_length(`contract_metadata`.`raw`), 0)
FROM `contract_metadata`
WHERE `contract_metadata`.`contract_id` IN (?, ?);

-- metadata of collections
SELECT `contract_metadata`.`contract_id`, `contract_metadata`.`uri`, `contract_metadata`.`content`,
  `contract_metadata`.`raw`
FROM `contract_metadata`
WHERE `contract_metadata`.`contract_id` IN (?, ?);

-- collections by name: page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
JOIN `contract_metadata` AS `m` ON `m`.`contract_id` = `contracts`.`id`
WHERE `contracts`.`first_log` IS NOT NULL AND `m`.`search_key` >= ? AND `m`.`search_key` < ?
ORDER BY `m`.`search_key` ASC
LIMIT 21;

-- collections by name: total
SELECT COUNT(*)
FROM (SELECT `contract_metadata`.`id`
FROM `contract_metadata`
WHERE `contract_metadata`.`search_key` >= ? AND `contract_metadata`.`search_key` < ? AND (SELECT `contracts`.`first_log`
FROM `contracts`
WHERE `contracts`.`id` = `contract_metadata`.`contract_id`) IS NOT NULL
LIMIT 10001) AS `found`;

-- collections by name: the last page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
JOIN `contract_metadata` AS `m` ON `m`.`contract_id` = `contracts`.`id`
WHERE `contracts`.`first_log` IS NOT NULL AND `m`.`search_key` >= ? AND `m`.`search_key` < ?
ORDER BY `m`.`search_key` DESC
LIMIT 21;

-- collections by name: page after a cursor
SELECT `contract_metadata`.`search_key`
FROM `contract_metadata`
JOIN `contracts` AS `c` ON `contract_metadata`.`contract_id` = `c`.`id`
WHERE `c`.`address` = ?;

-- export of blocks
SELECT `blocks`.`id`, `blocks`.`hash_prefix`, `blocks`.`hash_suffix`, `blocks`.`parent_hash`, `blocks`.`time`
FROM `blocks`
WHERE `blocks`.`id` >= ? AND `blocks`.`id` <= ?
ORDER BY `blocks`.`id`
LIMIT 20;

-- export of rejected
SELECT `rejected_logs`.`id`, `rejected_logs`.`address`, `rejected_logs`.`tx_hash`, `rejected_logs`.`topics`,
  `rejected_logs`.`data`, `rejected_logs`.`reason`, `t1`.`hash_prefix`, `t1`.`hash_suffix`, `t1`.`time`
FROM `rejected_logs`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `rejected_logs`.`id` >> 30
WHERE `rejected_logs`.`id` >= ? AND `rejected_logs`.`id` <= ?
ORDER BY `rejected_logs`.`id`
LIMIT 20;

-- export of collections
SELECT `position`, `address`, `contract_type`, `minted_items`, `burned_items`, `first_block`, `last_block`,
  `name`, `symbol`
FROM `v_collections`
WHERE `position` >= ? AND `position` <= ?
ORDER BY `position`
LIMIT 20;

-- export of metadata
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) END, `t1`.`address`, `t1`.`standards`, `t1`.`traits_version`,
  `tokens`.`cause`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
WHERE (`tokens`.`contract_id`, `tokens`.`token_id`) > (?, ?)
ORDER BY `tokens`.`contract_id`, `tokens`.`token_id`
LIMIT 20;

-- export of metadata
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`uri` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` > 8192 THEN COALESCE(octet_length(`tokens`.`name`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`external_url`),
  0) + COALESCE(octet_length(`tokens`.`youtube_url`), 0) + COALESCE(octet_length(`tokens`.`animation_url`),
  0) + COALESCE(octet_length(`tokens`.`image`), 0) + COALESCE(octet_length(`tokens`.`description`),
  0) + COALESCE(octet_length(`tokens`.`attributes`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) END, `t1`.`address`, `t1`.`standards`, `t1`.`traits_version`,
  `tokens`.`cause`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
WHERE `tokens`.`contract_id` = ? AND `tokens`.`token_id` > ?
ORDER BY `tokens`.`contract_id`, `tokens`.`token_id`
LIMIT 20;

-- export of tokens
SELECT `contracts`.`address`
FROM `contracts`
WHERE `contracts`.`id` >= ? AND `contracts`.`first_log` IS NOT NULL
ORDER BY `contracts`.`id`
LIMIT 20;

-- export of tokens
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, `t1`.`address`, `t1`.`standards`, `t1`.`traits_version`, `t2`.`state`, `t2`.`error`,
  `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE (`tokens`.`contract_id`, `tokens`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?),
  (?, ?));

-- export of tokens
SELECT `t1`.`address`, `t1`.`standards`, `resolutions`.`contract_id`, `resolutions`.`token_id`,
  `resolutions`.`standard`, `resolutions`.`attempted_at`, `resolutions`.`state`, `resolutions`.`error`,
  `resolutions`.`attempts`, `resolutions`.`due_at`
FROM `resolutions`
JOIN `contracts` AS `t1` ON `resolutions`.`contract_id` + 0 = `t1`.`id`
WHERE (`resolutions`.`contract_id`, `resolutions`.`token_id`) IN (VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?,
  ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?),
  (?, ?), (?, ?));

-- the log of changes
SELECT `changes`.`id`, `changes`.`nonce`, `changes`.`at`, `changes`.`top`, `changes`.`final`
FROM `changes`
WHERE `changes`.`id` = ?;

-- changes
SELECT `coverage`.`id`, `coverage`.`kind`, `coverage`.`from_block`, `coverage`.`to_block`
FROM `coverage`
WHERE `coverage`.`kind` = ? AND `coverage`.`from_block` <= ?
ORDER BY `coverage`.`from_block` DESC
LIMIT 1;

-- changes
SELECT `changes`.`id`, `changes`.`nonce`, `changes`.`at`, `changes`.`top`, `changes`.`final`
FROM `changes`
WHERE `changes`.`id` > ?
ORDER BY `changes`.`id` DESC
LIMIT 1;

-- changes
SELECT `change_events`.`id`, `change_events`.`event`, `change_events`.`from_block`,
  `change_events`.`to_block`, `change_events`.`top_before`, `change_events`.`top`
FROM `change_events`
WHERE `change_events`.`id` > ? AND `change_events`.`id` <= ?
ORDER BY `change_events`.`id`
LIMIT 10000;

-- changes
SELECT `mints`.`id`, `mints`.`contract_id`, `mints`.`token_id`, `mints`.`tx_prefix`, `mints`.`tx_suffix`,
  `mints`.`account_prefix`, `mints`.`account_suffix`, `mints`.`amount`, `mints`.`tx_index`,
  `mints`.`log_index`, `mints`.`sub_index`, `mints`.`operator`, `t2`.`hash_prefix`, `t2`.`hash_suffix`,
  `t2`.`time`
FROM `mints`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= ?)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `mints`.`id`
FROM `mints`
WHERE ((`mints`.`account_prefix` = k.n AND +`mints`.`account_suffix` = k.b) AND likely(`mints`.`id` >= k.id + 1)) AND likely(`mints`.`id` <= ?)
ORDER BY `mints`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 20) SELECT `id`
FROM `walk`) AS `merged` ON `mints`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `mints`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- changes
SELECT `burns`.`id`, `burns`.`contract_id`, `burns`.`token_id`, `burns`.`tx_prefix`, `burns`.`tx_suffix`,
  `burns`.`account_prefix`, `burns`.`account_suffix`, `burns`.`amount`, `burns`.`tx_index`,
  `burns`.`log_index`, `burns`.`sub_index`, `burns`.`operator`, `burns`.`burn_address`, `t2`.`hash_prefix`,
  `t2`.`hash_suffix`, `t2`.`time`
FROM `burns`
JOIN (WITH RECURSIVE k(n, b) AS (SELECT value ->> 0, unhex(value ->> 1)
FROM json_each(?)), walk(id, n, b) AS (SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= ?)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM k
UNION ALL SELECT COALESCE((SELECT `burns`.`id`
FROM `burns`
WHERE ((`burns`.`account_prefix` = k.n AND +`burns`.`account_suffix` = k.b) AND likely(`burns`.`id` >= k.id + 1)) AND likely(`burns`.`id` <= ?)
ORDER BY `burns`.`id`
LIMIT 1), 9223372036854775807), n, b
FROM walk AS k
WHERE id <> 9223372036854775807
ORDER BY 1
LIMIT 20) SELECT `id`
FROM `walk`) AS `merged` ON `burns`.`id` = `merged`.`id` + 0
LEFT JOIN `blocks` AS `t2` ON `t2`.`id` = `burns`.`id` >> 30
ORDER BY `merged`.`id` ASC;

-- changes
SELECT `tokens`.`id`, `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`changed`
FROM `tokens`
WHERE `tokens`.`changed` IS NOT NULL AND `tokens`.`changed` <= ? AND (`tokens`.`changed`,
  `tokens`.`id`) > (?, ?)
ORDER BY `tokens`.`changed`, `tokens`.`id`
LIMIT 20;

