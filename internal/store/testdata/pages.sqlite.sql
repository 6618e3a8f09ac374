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

-- tokens of a collection: page
SELECT `tokens`.`contract_id`, `tokens`.`token_id`, `tokens`.`fetched_at`, `tokens`.`updated_at`,
  `tokens`.`uri_has_id`, CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`name` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`description` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`external_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`image_data` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`background_color` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`youtube_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`animation_url` ELSE '' END,
  CASE WHEN `tokens`.`text_bytes` <= 8192 THEN `tokens`.`attributes` ELSE '' END,
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
  0) + COALESCE(octet_length(`tokens`.`description`), 0) + COALESCE(octet_length(`tokens`.`image`),
  0) + COALESCE(octet_length(`tokens`.`external_url`), 0) + COALESCE(octet_length(`tokens`.`image_data`),
  0) + COALESCE(octet_length(`tokens`.`background_color`), 0) + COALESCE(octet_length(`tokens`.`youtube_url`),
  0) + COALESCE(octet_length(`tokens`.`animation_url`), 0) + COALESCE(octet_length(`tokens`.`attributes`),
  0) + COALESCE(octet_length(`tokens`.`uri`), 0) + COALESCE(octet_length(`tokens`.`raw`),
  0) + COALESCE(octet_length(`tokens`.`display_types`), 0) END, `t1`.`address`, `t1`.`standards`,
  `t1`.`traits_version`, `tokens`.`cause`, `t2`.`state`, `t2`.`error`, `t2`.`attempts`, `t2`.`due_at`
FROM `tokens`
JOIN `contracts` AS `t1` ON `tokens`.`contract_id` + 0 = `t1`.`id`
LEFT JOIN `resolutions` AS `t2` ON `t2`.`contract_id` = `tokens`.`contract_id` + 0 AND `t2`.`token_id` = `tokens`.`token_id`
WHERE `tokens`.`contract_id` = ?
ORDER BY `tokens`.`token_id`
LIMIT 21;

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

-- collections: page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
WHERE `contracts`.`first_log` >= ? AND `contracts`.`first_log` <= ?
ORDER BY `contracts`.`first_log` DESC
LIMIT 21;

-- collections by name: page
SELECT `contracts`.`id`, `contracts`.`address`, `contracts`.`first_log`, `contracts`.`standards`,
  `contracts`.`mint_count`, `contracts`.`mint_excess`, `contracts`.`burn_count`, `contracts`.`burn_excess`,
  `t1`.`hash_prefix`
FROM `contracts`
LEFT JOIN `blocks` AS `t1` ON `t1`.`id` = `contracts`.`first_log` >> 30
JOIN `collection_words` AS `w` ON `w`.`contract_id` = `contracts`.`id`
WHERE `contracts`.`first_log` IS NOT NULL AND (`w`.`id` >= ? AND `w`.`id` < ? AND `w`.`shared` < ?)
ORDER BY `w`.`id` ASC
LIMIT 21;

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

