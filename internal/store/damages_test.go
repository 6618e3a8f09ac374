package store_test

import "fmt"

// damage is a change made to the database without package store.
type damage struct {
	name string
	// sqlite and postgres are the statements; if postgres is empty, sqlite is used.
	sqlite, postgres string
	// want is part of one of the reported lines.
	want string
	// left is set if only a node can repair it.
	left bool
	// same is set if the repair restores the former rows.
	same bool
}

func damages() []damage {
	// at returns the first position of a block.
	at := func(block int) string { return fmt.Sprint(block << 30) }
	// level selects the counters of a level, ofMints those of all mints. node is a key of their tree.
	level := func(l int) string { return fmt.Sprintf("substr(id, length(id) - 8, 1) = x'%02x'", l) }
	const ofMints = "substr(id, 1, 2) = x'002a'"
	node := func(level, bucket int) string { return fmt.Sprintf("x'002a%02x%016x'", level, bucket) }
	return []damage{
		{name: "a root", sqlite: "UPDATE counters SET n = n + 1 WHERE " + level(0) + " AND " + ofMints, want: "counters of mints, blocks 0 to", same: true},
		{name: "a root too low", sqlite: "UPDATE counters SET n = 0 WHERE " + level(0) + " AND " + ofMints, want: "counters of mints, blocks 0 to", same: true},
		{name: "all roots", sqlite: "UPDATE counters SET n = n - 3 WHERE " + level(0), want: "counters of burns, blocks 0 to", same: true},
		{name: "a root's amount", sqlite: "UPDATE counters SET amount = x'0105' WHERE " + level(0) + " AND " + ofMints, want: "blocks 0 to 8589934591: amount is 0x0105, its rows give ", same: true},
		{name: "a root without its amount", sqlite: "UPDATE counters SET amount = NULL WHERE " + level(0) + " AND " + ofMints, want: "blocks 0 to 8589934591: amount is null, its rows give ", same: true},
		{name: "a leaf's amount", sqlite: "UPDATE counters SET amount = x'0a01000000000000000000' WHERE id = (SELECT id FROM counters WHERE n <= 512 AND amount IS NOT NULL ORDER BY id DESC LIMIT 1)", want: "amount is 0x0a01000000000000000000, its rows give ", same: true},
		{name: "an amount of a node outside all trees", sqlite: "INSERT INTO counters (id, n, amount) VALUES (" + node(5, 999999) + ", 0, x'0101')", want: "blocks 999999 to 999999: nothing gives the row", same: true},
		{name: "a first record", sqlite: "UPDATE contracts SET first_log = first_log + 1 WHERE id = 2", want: "first_log is ", same: true},
		{name: "a collection without a first record", sqlite: "UPDATE contracts SET first_log = NULL WHERE id = 1", want: "first_log is null, its rows give ", same: true},
		{name: "a number of tokens", sqlite: "UPDATE contracts SET token_count = token_count - 1 WHERE id = 3", want: "token_count is ", same: true},
		{name: "resolved tokens", sqlite: "UPDATE contracts SET resolved = resolved + 1 WHERE id = 1", want: "resolved is ", same: true},
		{name: "pending tokens", sqlite: "UPDATE contracts SET pending = 7 WHERE id = 2", want: "pending is 7, its rows give 0", same: true},
		{name: "failed tokens", sqlite: "UPDATE contracts SET failed = -1 WHERE id = 2", want: "failed is -1, its rows give 0", same: true},
		{name: "a collection without a queue", sqlite: "DELETE FROM contract_metadata WHERE contract_id = 2", want: "contract_metadata: collection 0x42b457968026aa65d7654e01c5363d8ad829e8ad: the row is missing", same: true},
		{name: "a name without its word", sqlite: "UPDATE contract_metadata SET name = 'Ab' WHERE contract_id = 1", want: "id 0x616200c032857c6d2578bb9ff2d449df10cfcaeafa78b5: the row is missing", same: true},
		{name: "a word of no name", sqlite: "INSERT INTO collection_words (id, contract_id, shared) VALUES (x'610042', 2, 0)", want: ", id 0x610042: nothing gives the row", same: true},
		{name: "a word of no collection", sqlite: "INSERT INTO collection_words (id, contract_id, shared) VALUES (x'610042', 99999, 0)", want: "number 99999, id 0x610042: nothing gives the row", same: true},
		{name: "a name that is not its document's", sqlite: "UPDATE contract_metadata SET content = '{\"name\":\"x\"}' WHERE contract_id = 3", want: "name is null, its rows give \"x\"", same: true},
		{name: "a symbol that is not its document's", sqlite: "UPDATE contract_metadata SET content = '{\"symbol\":\"x\"}' WHERE contract_id = 3", want: "symbol is null, its rows give \"x\"", same: true},
		{name: "a number of mints", sqlite: "UPDATE contracts SET mint_count = mint_count + 1 WHERE id = 3", want: "mint_count is ", same: true},
		{name: "an excess", sqlite: "UPDATE contracts SET mint_excess = x'0105' WHERE id = 3", want: "mint_excess is 0x0105, its rows give ", same: true},
		{name: "no excess", sqlite: "UPDATE contracts SET burn_excess = NULL WHERE burn_excess IS NOT NULL", want: "burn_excess is null, its rows give ", same: true},
		{name: "no number of burns", sqlite: "UPDATE contracts SET burn_count = NULL WHERE id = 3", want: "burn_count is null", same: true},
		{name: "tokens without records", sqlite: "UPDATE contracts SET recordless = recordless + 1", want: "recordless is ", same: true},
		{name: "a version without a document", sqlite: "INSERT INTO versions (contract_id, token_id, number, fetched_at, text_bytes, uri, raw) VALUES (1, x'0799000000000001', 9, 1, 0, '', x'789c010000ffff00000001')", want: "version 9 of token ", same: true},
		{name: "a damaged version", sqlite: "INSERT INTO versions (contract_id, token_id, number, fetched_at, text_bytes, uri, raw) SELECT contract_id, token_id, 1, 1, 9, '', x'789c010000ffff00000001' FROM tokens WHERE id = 1", want: "version 1: the row is damaged: decompressing a document: got 0 bytes, want 9", left: true},
		{name: "a leaf", sqlite: "UPDATE counters SET n = n + 5 WHERE id = (SELECT id FROM counters WHERE n <= 512 ORDER BY id DESC LIMIT 1)", want: "n is 6, its rows give 1", same: true},
		{name: "a leaf below zero", sqlite: "UPDATE counters SET n = -n WHERE id = (SELECT id FROM counters WHERE n <= 512 ORDER BY id DESC LIMIT 1)", want: "n is -1, its rows give 1", same: true},
		{name: "an inner node", sqlite: "UPDATE counters SET n = n + 9 WHERE " + level(2) + " AND " + ofMints, want: "blocks 0 to 262143: n is ", same: true},
		{name: "all nodes of a level", sqlite: "UPDATE counters SET n = n + 1 WHERE " + level(3), want: "blocks 0 to 4095: n is ", same: true},
		{name: "a missing leaf", sqlite: "DELETE FROM counters WHERE id = (SELECT id FROM counters WHERE n <= 512 ORDER BY id DESC LIMIT 1)", want: "counters of ", same: true},
		{name: "all below a root", sqlite: "DELETE FROM counters WHERE NOT " + level(0) + " AND " + ofMints, want: "blocks 0 to 16777215: the row is missing", same: true},
		{name: "a missing level", sqlite: "DELETE FROM counters WHERE " + level(2), want: "blocks 0 to 262143: the row is missing", same: true},
		{name: "a node that is not split", sqlite: "UPDATE counters SET n = 512 WHERE " + level(1) + " AND " + ofMints, want: "n is 512, its rows give ", same: true},
		{name: "a tree too small", sqlite: "UPDATE counters SET n = 512 WHERE " + level(0) + " AND " + ofMints, want: "n is 512, its rows give ", same: true},
		{name: "a leaf without records", sqlite: "INSERT INTO counters (id, n) VALUES (" + node(4, 1) + ", 0)", want: "blocks 64 to 127: nothing gives the row", same: true},
		{name: "a tree without a root", sqlite: "DELETE FROM counters WHERE " + level(0) + " AND " + ofMints, want: "blocks 0 to 8589934591: the row is missing", same: true},
		{name: "a second root", sqlite: "INSERT INTO counters (id, n) VALUES (" + node(0, 1) + ", 7)", want: "blocks 8589934592 to 17179869183: nothing gives the row", same: true},
		{name: "a node below a leaf", sqlite: "INSERT INTO counters (id, n) VALUES (" + node(5, 999999) + ", 7)", want: "blocks 999999 to 999999: nothing gives the row", same: true},
		{name: "a level that does not exist", sqlite: "INSERT INTO counters (id, n) VALUES (" + node(9, 0) + ", 7)", want: "counters: 0x002a090000000000000000 belongs to no filter", same: true},
		{name: "a filter that does not exist", sqlite: "INSERT INTO counters (id, n) VALUES (x'00ff01000000000000000000', 7)", want: "counters: 0x00ff01000000000000000000 belongs to no filter", same: true},
		{name: "a tree of a scope without records", sqlite: "INSERT INTO counters (id, n) VALUES (x'0063000000000000ffff000000000000000000', 700)", want: "counters of mints of collection number 65535, blocks 0 to 8589934591: nothing gives the row", same: true},
		{name: "a missing mint", sqlite: "DELETE FROM mints WHERE id = " + at(1050) + " + 3", want: "block 1050: mint at log", left: true},
		{name: "the last mint of a block", sqlite: "DELETE FROM mints WHERE id = (SELECT max(id) FROM mints WHERE id < " + at(1051) + ")", want: "blocks 1024 to 1087: mints differ from their digest", left: true},
		{name: "many burns", sqlite: "DELETE FROM burns WHERE id % 2 = 0", want: "burn at log", left: true},
		{name: "a duplicate mint", sqlite: "INSERT INTO mints SELECT (SELECT max(id) FROM mints WHERE id < " + at(1051) + ") + 1, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index, sub_index, operator, tx_index FROM mints WHERE id = " + at(1050), want: "comes later in the block", left: true},
		{name: "a damaged account", sqlite: "UPDATE mints SET account_suffix = x'01' WHERE id = " + at(1050), want: "the row is damaged: address suffix: got 1 bytes, want 12", left: true},
		{name: "ranges that touch", sqlite: "UPDATE coverage SET to_block = 1049 WHERE kind = 'indexed' AND from_block = 1000; INSERT INTO coverage (kind, from_block, to_block) VALUES ('indexed', 1050, 1199)", want: "indexed blocks 1050 to 1199 overlap or touch those up to 1049", same: true},
		{name: "ranges that overlap", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('indexed', 1100, 1150)", want: "indexed blocks 1100 to 1150 overlap or touch those up to 1199", same: true},
		{name: "a range that ends before it starts", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('indexed', 1240, 1230)", want: "indexed blocks 1240 to 1230 are no range", same: true},
		{name: "a range below zero", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('final', -5, 3)", want: "final blocks -5 to 3 are no range", same: true},
		{name: "a range beyond the last block", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('linked', 8589934590, 8589934591)", want: "linked blocks 8589934590 to 8589934591 are no range", same: true},
		{name: "verified and not indexed", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('verified', 1210, 1220)", want: "blocks 1210 to 1220 are verified and not indexed", same: true},
		{name: "final and not indexed", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('final', 1230, 1260)", want: "blocks 1230 to 1249 are final and not indexed"},
		{name: "linked and not indexed", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('linked', 5000, 5001)", want: "blocks 5000 to 5001 are linked and not indexed", same: true},
		{name: "queued and not indexed", sqlite: "INSERT INTO coverage (kind, from_block, to_block) VALUES ('queued', 3, 4)", want: "blocks 3 to 4 are queued and not indexed", same: true},
		{name: "coverage that ends too early", sqlite: "UPDATE coverage SET to_block = 1180 WHERE kind = 'indexed' AND from_block = 1000", want: "blocks 1181 to 1249 are not indexed, but there are blocks of block 1181", same: true},
		{name: "coverage that begins too late", sqlite: "UPDATE coverage SET from_block = 1001 WHERE kind = 'indexed' AND from_block = 1000", want: "blocks 0 to 1000 are not indexed, but there are blocks of block 1000", same: true},
		{name: "headers that contradict the one below", sqlite: "UPDATE coverage SET to_block = 1180 WHERE kind = 'indexed' AND from_block = 1000; UPDATE blocks SET hash_prefix = 5 WHERE id = 1180", want: "blocks 1181 to 1249 are not indexed, but there are blocks of block 1181", left: true},
		{name: "headers that contradict the one above", sqlite: "UPDATE coverage SET from_block = 1011 WHERE kind = 'indexed' AND from_block = 1000; UPDATE blocks SET parent_hash = (SELECT parent_hash FROM blocks WHERE id = 1050) WHERE id = 1011", want: "blocks 0 to 1010 are not indexed, but there are ", left: true},
		{name: "a hole in coverage", sqlite: "UPDATE coverage SET to_block = 1059 WHERE kind = 'indexed' AND from_block = 1000; INSERT INTO coverage (kind, from_block, to_block) VALUES ('indexed', 1070, 1199)", want: "blocks 1060 to 1069 are not indexed", same: true},
		{name: "no coverage of a range", sqlite: "DELETE FROM coverage WHERE kind = 'indexed' AND from_block = 1000", want: "blocks 0 to 1249 are not indexed, but there are mints of block 1000", same: true},
		{name: "records of a block that is not indexed", sqlite: "INSERT INTO mints SELECT " + at(1210) + ", contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index, sub_index, operator, tx_index FROM mints WHERE id = " + at(1050), want: "but there are mints of block 1210", same: true},
		{name: "a burn of a block that is not indexed", sqlite: "INSERT INTO burns SELECT " + at(7) + ", contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, log_index, sub_index, operator, NULL, tx_index FROM mints WHERE id = " + at(1050), want: "but there are burns of block 7", same: true},
		{name: "a rejected log of a block that is not indexed", sqlite: "INSERT INTO rejected_logs SELECT " + at(1220) + " + 3, address, tx_hash, topics, data, reason FROM rejected_logs ORDER BY id LIMIT 1", want: "but there are rejected_logs of block 1220", same: true},
		{name: "a transaction of a block that is not indexed", sqlite: "INSERT INTO transactions SELECT " + at(1221) + " + 3, address, NULL, token_id, NULL FROM contracts, mints WHERE mints.id = " + at(1050) + " ORDER BY contracts.id LIMIT 1", want: "but there are transactions of block 1221", same: true},
		{name: "a damaged transaction", sqlite: "INSERT INTO transactions SELECT " + at(1100) + " + 3, x'01', NULL, token_id, NULL FROM mints WHERE mints.id = " + at(1050), want: "block 1100: transaction 1181116006403: the row is damaged: ", left: true},
		{name: "a damaged rejected log", sqlite: "INSERT INTO rejected_logs VALUES (" + at(1100) + " + 900, x'01', x'02', x'', x'', 'malformed')", want: "rejected log 1181116007300: the row is damaged: ", left: true},
		{name: "a header that nothing links to", sqlite: "INSERT INTO blocks SELECT 1230, 77, hash_suffix, NULL, time FROM blocks WHERE id = 1050", want: "but there are blocks of block 1230", left: true},
		{name: "a missing header", sqlite: "DELETE FROM blocks WHERE id = 1005", want: "block 1005: the header is missing", left: true},
		{name: "missing headers", sqlite: "DELETE FROM blocks WHERE id BETWEEN 1110 AND 1119", want: "blocks 1110 to 1119: the headers are missing", left: true},
		{name: "the first header", sqlite: "DELETE FROM blocks WHERE id = 1000", want: "block 1000: the header is missing", left: true},
		{name: "the last header", sqlite: "DELETE FROM blocks WHERE id = (SELECT max(id) FROM blocks)", want: "the header is missing", left: true},
		{name: "a missing parent", sqlite: "UPDATE blocks SET parent_hash = NULL WHERE id = 1100", want: "block 1100: the parent hash is missing", left: true},
		{name: "another parent", sqlite: "UPDATE blocks SET parent_hash = (SELECT parent_hash FROM blocks WHERE id = 1050) WHERE id = 1100", want: "block 1100: the parent hash is 0x", left: true},
		{name: "a short parent", sqlite: "UPDATE blocks SET parent_hash = x'0102' WHERE id = 1100", want: "block 1100: the parent hash has 2 bytes, want 32", left: true},
		{name: "another hash", sqlite: "UPDATE blocks SET hash_prefix = 5 WHERE id = 1100", want: "block 1101: the parent hash is 0x", left: true},
		{name: "a damaged hash", sqlite: "UPDATE blocks SET hash_suffix = x'05' WHERE id = 1100", want: "block 1100: the hash is damaged", left: true},
		{name: "a duplicate hash", sqlite: "UPDATE blocks SET hash_prefix = (SELECT hash_prefix FROM blocks WHERE id = 1100), hash_suffix = (SELECT hash_suffix FROM blocks WHERE id = 1100) WHERE id = 1150", want: "blocks 1100 and 1150 have the same hash", left: true},
		{name: "a missing contract", sqlite: "DELETE FROM contracts WHERE id = (SELECT contract_id FROM mints WHERE id = " + at(1050) + ")", want: "is missing; verify --repair", left: true},
		{name: "the number of documents", sqlite: "UPDATE contracts SET tokens = tokens + 2 WHERE id = (SELECT min(contract_id) FROM tokens)", want: "tokens is ", same: true},
		{name: "documents of a collection that has none", sqlite: "UPDATE contracts SET tokens = 2 WHERE id = (SELECT max(id) FROM contracts)", want: "tokens is 2, its rows give 4", same: true},
		{name: "large numbers of documents, so that each collection is compared alone", sqlite: "UPDATE contracts SET tokens = 200000 + id", want: "tokens is 200001, its rows give ", same: true},
		{name: "a missing document", sqlite: "DELETE FROM tokens WHERE id = (SELECT min(id) FROM tokens)", want: "tokens is "},
		{name: "standards that are not stored", sqlite: "UPDATE contracts SET standards = 0 WHERE id = (SELECT contract_id FROM mints WHERE id = " + at(1050) + ")", want: "which is not noted", same: true},
		{name: "another standard", sqlite: "UPDATE contracts SET standards = 3 - standards WHERE standards = 2", want: "of the standard ERC1155, which is not noted"},
		{name: "standards that do not exist", sqlite: "UPDATE contracts SET standards = standards + 8", want: "want 0 to 3", same: true},
		{name: "different values", sqlite: "UPDATE traits SET distinct_values = distinct_values + 1", want: "distinct_values is ", same: true},
		{name: "a missing trait", sqlite: "DELETE FROM traits", want: "the row is missing", same: true},
		{name: "a value's number", sqlite: "UPDATE trait_values SET n = n + 3", want: ": n is ", same: true},
		{name: "a value's tokens", sqlite: "UPDATE trait_values SET tokens = tokens + 1", want: ": tokens is ", same: true},
		{name: "a value's text", sqlite: "UPDATE trait_values SET text = 'other'", want: "text is \"other\", its rows give ", same: true},
		{name: "a trait's tokens", sqlite: "UPDATE traits SET tokens = 0", want: "tokens is 0, its rows give ", same: true},
		{name: "a trait's name", sqlite: "UPDATE traits SET name = 'other'", want: "name is \"other\", its rows give ", same: true},
		{name: "a number of traits", sqlite: "UPDATE contracts SET traits = traits + 1 WHERE id = 1", want: "traits is ", same: true},
		{name: "traits that are not counted", sqlite: "UPDATE contracts SET traits = NULL", want: "traits is null, its rows give ", same: true},
		{name: "a missing value", sqlite: "DELETE FROM trait_values WHERE id = (SELECT id FROM trait_values ORDER BY contract_id, trait, value LIMIT 1)", want: "trait_values: collection ", same: true},
		{name: "a value that no document has", sqlite: "INSERT INTO trait_values (contract_id, trait, value, n) SELECT contract_id, trait, x'01020304050607080910111213141516', 4 FROM trait_values ORDER BY contract_id, trait LIMIT 1", want: "value 0x01020304050607080910111213141516: nothing gives the row", same: true},
		{name: "a value with count 0", sqlite: "INSERT INTO trait_values (contract_id, trait, value, n) SELECT contract_id, trait, x'01020304050607080910111213141516', 0 FROM trait_values ORDER BY contract_id, trait LIMIT 1", want: "value 0x01020304050607080910111213141516: nothing gives the row", same: true},
		{name: "damaged attributes", sqlite: "UPDATE tokens SET attributes = '[{' WHERE id = (SELECT min(id) FROM tokens)", want: "document 1: the row is damaged: ", left: true},
		{name: "the length of texts", sqlite: "UPDATE tokens SET text_bytes = text_bytes + 1 WHERE id = (SELECT min(id) FROM tokens)", want: "and have others", same: true},
		{name: "a document without a contract", sqlite: "INSERT INTO tokens (contract_id, token_id, fetched_at, updated_at, uri_has_id, text_bytes, attributes, uri, raw) VALUES (4242, x'0101', 1, 1, false, 7, '[]', 'u', 'tests')", want: "tokens: 1 rows are of contract number 4242, which is missing", same: true},
		{name: "a trait without a contract", sqlite: "INSERT INTO traits (contract_id, trait, distinct_values) VALUES (4242, x'01', 1)", want: "traits: collection number 4242, trait 0x01: nothing gives the row", same: true},
		{name: "a value without a contract", sqlite: "INSERT INTO trait_values (contract_id, trait, value, n) VALUES (4242, x'01', x'01', 1)", want: "trait_values: collection number 4242, trait 0x01, value 0x01: nothing gives the row", same: true},
		{name: "a queued token without a contract", sqlite: "INSERT INTO resolutions (contract_id, token_id, standard, state, attempts) VALUES (4242, x'0101', 1, 'done', 0)", want: "resolutions: 1 rows", same: true},
		{name: "a refresh without a contract", sqlite: "INSERT INTO refreshes (block, contract_id, first, last) VALUES (1100, 4242, x'0101', x'0101')", want: "refreshes: 1 rows", same: true},
		{name: "a queued token without a mint", sqlite: "INSERT INTO resolutions (contract_id, token_id, standard, state, attempts) VALUES (1, x'04fefefefe', 1, 'waiting', 0)", want: "was never minted", same: true},
		{name: "a mint that is not queued", sqlite: "DELETE FROM resolutions WHERE id = (SELECT min(id) FROM resolutions)", want: "queue: mints of block"},
	}
}
