package store_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
)

// A skewed chain misleads query planners. One collection has half of the records, one of
// its tokens half of those, one account a third of all, and one transaction hundreds. Each
// other collection has fifteen adjacent records, and each other account a few, far apart.
// Names are as in generate_test.go.
const (
	skewedFirst  = 3<<24 - 9000
	skewedBlocks = 18_000
	skewedLast   = skewedFirst + skewedBlocks - 1
	// skewedBusy is the block of the transaction that has skewedHundreds of records.
	skewedBusy     = skewedFirst + skewedBlocks/2
	skewedHundreds = 800
	// skewedSmall is one of the skewedCollections small collections.
	skewedCollections = 10_000
	skewedSmall       = skewedCollections / 2
	// skewedDocuments is the number of tokens of the large collection with a document; the
	// same number of tokens after them have failed.
	skewedDocuments = 5_000
	// skewedForked is the first block that replaced an orphaned one.
	skewedForked = skewedLast - 3_000
)

// skewedToken returns the id of the n-th token. All have the same length.
func skewedToken(n uint64) evm.Uint256 { return evm.NewUint256(1<<24 + n) }

// fillSkewed fills PostgreSQL with a skewed chain, its counters and statistics. It inserts
// the rows with SQL, which takes a tenth of the time of storing blocks.
func fillSkewed(t *testing.T, s *write.DB, dsn string) {
	t.Helper()
	beginLoad(t, s)
	records := func(table string, perBlock int) string {
		r := strings.NewReplacer("$table", table, "$per", fmt.Sprint(perBlock), "$first", fmt.Sprint(skewedFirst), "$blocks", fmt.Sprint(skewedBlocks),
			"$busy", fmt.Sprint(skewedBusy), "$hundreds", fmt.Sprint(skewedHundreds), "$collections", fmt.Sprint(skewedCollections))
		return r.Replace(`
			WITH places AS (
				SELECT g, $first + g / $per AS block, g % $per AS slot, (g % $per) * 2 / 3 AS tx FROM generate_series(0, $blocks::bigint * $per - 1) g
				UNION ALL
				SELECT $blocks::bigint * $per + n, $busy, $per + n, 100 FROM generate_series(0, $hundreds - 1) n
			), named AS (
				SELECT *, CASE WHEN noise(g, 1, 2) = 0 THEN 0 ELSE 1 + noise(g, 2, 50) + (block - $first) * ($collections - 50) / $blocks END AS collection,
					CASE WHEN noise(g, 3, 3) = 0 THEN 0 ELSE 2 + noise(g, 4, 40000) END AS account
				FROM places
			)
			INSERT INTO $table (id, contract_id, token_id, tx_prefix, tx_suffix, account_prefix, account_suffix, amount, tx_index, log_index, sub_index)
			SELECT block << 30 | slot, collection + 1, token(CASE WHEN collection = 0 AND noise(g, 5, 2) = 0 THEN 7 ELSE noise(g, 6, 10000) END),
				prefix(digest('txs', 1, block, tx / 2)), substr(digest('tx', 1, block, tx), 9),
				prefix(digest('accounts', account / 2)), substr(digest('account', account), 9, 12), '\x0101', tx, slot, 0
			FROM named`)
	}
	execute(t, dsn,
		`CREATE FUNCTION digest(what text, VARIADIC numbers bigint[]) RETURNS bytea LANGUAGE sql IMMUTABLE AS
			$$ SELECT sha256(what::bytea || int8send(numbers[1]) || coalesce(int8send(numbers[2]), '') || coalesce(int8send(numbers[3]), '')) $$`,
		`CREATE FUNCTION prefix(bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || encode(substr($1, 1, 8), 'hex'))::bit(64)::bigint $$`,
		`CREATE FUNCTION token(bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT '\x04'::bytea || int4send(16777216 + $1::int) $$`,
		`CREATE FUNCTION noise(bigint, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT abs(hashint8extended($1, $2) % $3) $$`,
		fmt.Sprintf(`INSERT INTO contracts (id, address, standards, traits, tokens) SELECT n + 1, substr(digest('collection', n), 1, 20), 1, 2,
			CASE WHEN n = 0 THEN %d ELSE 1 END FROM generate_series(0, %d) n`, skewedDocuments, skewedCollections),
		`INSERT INTO contract_metadata (contract_id, state, attempted_at, name)
			SELECT id, 'done', 1, CASE WHEN id % 20 = 1 THEN 'name ' ELSE 'other ' END || id FROM contracts`,
		`INSERT INTO collection_words (id, contract_id, shared) SELECT name::bytea || '\x00' || address, c.id, 0 FROM contracts AS c JOIN contract_metadata AS m ON m.contract_id = c.id
			UNION ALL SELECT c.id::text::bytea || '\x00' || address, c.id, 0 FROM contracts AS c`,
		fmt.Sprintf(`INSERT INTO blocks (id, hash_prefix, hash_suffix, parent_hash, time)
			SELECT n, prefix(digest('block', 1, n)), substr(digest('block', 1, n), 9), digest('block', 1, n - 1), 1600000000 + n FROM generate_series(%d, %d) n`, skewedFirst, skewedLast),
		fmt.Sprintf(`INSERT INTO orphaned_blocks (number, hash, parent_hash)
			SELECT n, digest('block', 2, n), digest('block', CASE WHEN n = %[1]d THEN 1 ELSE 2 END, n - 1) FROM generate_series(%[1]d, %[2]d) n`, skewedForked, skewedLast),
		fmt.Sprintf(`INSERT INTO coverage (kind, from_block, to_block) VALUES ('indexed', %d, %d)`, skewedFirst, skewedLast),
		fmt.Sprintf(`INSERT INTO coverage (kind, from_block, to_block) SELECT 'verified', n, n FROM generate_series(%d, %d, 500) n`, skewedFirst, skewedLast),
		fmt.Sprintf(`INSERT INTO transactions (id, sender, value) SELECT n::bigint << 30 | i, substr(digest('account', i), 9, 20), '\x00' FROM generate_series(%d, %d) n, generate_series(0, 9) i`, skewedFirst, skewedLast),
		records("mints", 16),
		records("burns", 4),
		fmt.Sprintf(`WITH documents AS (SELECT 0 AS collection, n FROM generate_series(0, %d) n UNION ALL SELECT c, noise(c, 6, 10) FROM generate_series(1, %d) c)
			INSERT INTO tokens (contract_id, token_id, uri, uri_has_id, raw, fetched_at, updated_at, name, attributes, text_bytes)
			SELECT collection + 1, token(n), 'u', FALSE, repeat('x', CASE WHEN n %% 10 = 3 THEN 9000 ELSE 200 END), 1, 1, 'name ' || n,
				'[{"trait_type":"common","value":"x","order":1},{"trait_type":"trait ' || n || '","value":"x","order":2}]' || chr(10), CASE WHEN n %% 10 = 3 THEN 9200 ELSE 400 END FROM documents`,
			skewedDocuments-1, skewedCollections),
		`INSERT INTO traits (contract_id, trait, distinct_values, name, tokens)
			SELECT contract_id, substr(sha256(name::bytea), 1, 16), 1, name, 1 FROM (SELECT contract_id, 'trait ' || substr(name, 6) AS name FROM tokens) AS named
			UNION ALL SELECT contract_id, substr(sha256('common'::bytea), 1, 16), 1, 'common', count(*) FROM tokens GROUP BY contract_id`,
		`INSERT INTO trait_values (contract_id, trait, value, n, text, tokens)
			SELECT contract_id, trait, substr(sha256(text::bytea), 1, 16), 1, text, 1 FROM (
				SELECT contract_id, trait, 'x' AS text FROM traits UNION ALL
				SELECT contract_id, substr(sha256('common'::bytea), 1, 16), 'value ' || name FROM tokens) AS valued`,
		`UPDATE trait_values SET tokens = t.tokens FROM traits AS t WHERE t.contract_id = trait_values.contract_id AND t.trait = trait_values.trait AND t.name = 'common' AND text = 'x'`,
		`INSERT INTO trait_tokens SELECT v.id, d.token_id FROM tokens AS d
			CROSS JOIN LATERAL (VALUES ('common', 'x'), ('trait ' || substr(d.name, 6), 'x'), ('common', 'value ' || d.name)) AS a (trait, text)
			JOIN trait_values AS v ON v.contract_id = d.contract_id AND v.trait = substr(sha256(a.trait::bytea), 1, 16) AND v.value = substr(sha256(a.text::bytea), 1, 16)`,
		`INSERT INTO changes (id, nonce, at, top) SELECT n, n, 1, n FROM generate_series(2, 40000) n`,
		`INSERT INTO change_events (id, event, from_block, to_block, top_before, top) SELECT n, 'ADDED', n - 3, n, n, n FROM generate_series(100, 40000, 100) n`,
		`UPDATE tokens SET changed = 2 + id % 30000`,
		`INSERT INTO settings (id, value) VALUES ('trait_index', '{"done":true}')`,
		`INSERT INTO resolutions (contract_id, token_id, standard, state, attempted_at) SELECT contract_id, token_id, 1, 'done', 1 FROM tokens`,
		`INSERT INTO versions (contract_id, token_id, number, fetched_at, text_bytes, uri, raw)
			SELECT contract_id, token_id, n, 1, 2, 'u', '\x789cab000000790079' FROM tokens, generate_series(1, 3) n`,
		fmt.Sprintf(`INSERT INTO resolutions (contract_id, token_id, standard, state, attempted_at, attempts, error, uri, due_at)
			SELECT 1, token(n), 1, 'waiting', 1, 3, 'refused', 'u', 3000000000 FROM generate_series(%d, %d) n`, skewedDocuments, 2*skewedDocuments-1),
		`UPDATE contracts SET first_log = f.log FROM (SELECT contract_id, min((id >> 30 << 30) | log_index) AS log FROM
			(SELECT id, contract_id, log_index FROM mints UNION ALL SELECT id, contract_id, log_index FROM burns) AS r GROUP BY contract_id) AS f WHERE f.contract_id = contracts.id`,
	)
	// Of two indexes that look equally cheap, PostgreSQL uses the newer one. Create the wrong
	// one, which has fewer columns, last: pg_restore may create them in any order.
	execute(t, dsn, `UPDATE settings SET value = (SELECT json_agg(s ORDER BY length(s) DESC)::text FROM json_array_elements_text(value::json) s) WHERE id = 'pending_indexes'`)
	finishLoad(t, s)
	execute(t, dsn, "ANALYZE")
}

// skewedFilters returns every accepted combination of filters for both kinds, with values
// that select many and few records, and with each sort of range.
func skewedFilters() (list []store.Filter) {
	number := evm.Long(skewedFirst + 100)
	blocks := []store.Filter{
		{Block: &evm.BlockNumberOrHash{Number: number}},
		{Block: &evm.BlockNumberOrHash{Number: skewedBusy}},
		{Block: &evm.BlockNumberOrHash{Hash: ptr(blockHash(1, uint64(number)))}},
	}
	for _, b := range []evm.BlockNumberOrHash{{Number: skewedBusy}, {Hash: ptr(blockHash(1, skewedBusy))}} {
		blocks = append(blocks, store.Filter{Block: &b, Addresses: []evm.Address{collection(0), collection(skewedSmall)}}, store.Filter{Block: &b, Account: ptr(account(0))}, store.Filter{Block: &b, Address: ptr(collection(0))},
			store.Filter{Block: &b, Address: ptr(collection(0)), TokenID: ptr(skewedToken(7))})
	}
	others := []store.Filter{{}, {Address: ptr(collection(skewedCollections + 1))}}
	for _, address := range []*evm.Address{ptr(collection(0)), ptr(collection(skewedSmall))} {
		others = append(others, store.Filter{Address: address})
		for _, n := range []uint64{7, 12} {
			others = append(others, store.Filter{Address: address, TokenID: ptr(skewedToken(n))})
		}
	}
	for _, address := range []*evm.Address{nil, ptr(collection(0)), ptr(collection(skewedSmall))} {
		for _, tx := range []evm.Hash{txHash(1, skewedBusy, 100), txHash(1, uint64(number), 0)} {
			others = append(others, store.Filter{TransactionHash: &tx, Address: address})
			if address != nil {
				others = append(others, store.Filter{TransactionHash: &tx, Address: address, TokenID: ptr(skewedToken(7))})
			}
		}
		for _, a := range []int{0, 1000} {
			others = append(others, store.Filter{Account: ptr(account(a)), Address: address})
		}
	}
	others = append(others, skewedLists(number)...)
	from, to := ptr(evm.Long(skewedFirst+1501)), ptr(evm.Long(skewedLast-2503))
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for _, f := range blocks {
			f.Kind = kind
			list = append(list, f)
		}
		for _, f := range others {
			f.Kind = kind
			for _, r := range [][2]*evm.Long{{}, {from, nil}, {nil, to}, {from, to}} {
				f.FromBlock, f.ToBlock = r[0], r[1]
				list = append(list, f)
			}
		}
	}
	early, late := ptr(1600000000+*from), ptr(1600000000+*to)
	return append(list, store.Filter{FromTime: early, ToTime: late}, store.Filter{Address: ptr(collection(0)), FromTime: early, ToTime: late})
}

// skewedLists returns filters with every sort of list, of values that select many and few
// records.
func skewedLists(number evm.Long) []store.Filter {
	addresses, accounts := []evm.Address{collection(0)}, []evm.Address{}
	tokens := []nft.TokenKey{{Contract: collection(0), TokenID: skewedToken(7)}, {Contract: collection(0), TokenID: skewedToken(12)}}
	for i := range 20 {
		addresses = append(addresses, collection(skewedSmall+i*100))
		accounts = append(accounts, account(i*50), account(i*50+3))
		tokens = append(tokens, nft.TokenKey{Contract: collection(0), TokenID: skewedToken(uint64(100 * i))}, nft.TokenKey{Contract: addresses[1], TokenID: skewedToken(uint64(i))})
	}
	txs := []evm.Hash{txHash(1, skewedBusy, 100), txHash(1, skewedBusy, 101), txHash(1, uint64(number), 0), txHash(1, uint64(number), 1)}
	return []store.Filter{
		{Addresses: addresses}, {Addresses: addresses, Account: ptr(account(0))},
		{Accounts: accounts}, {Accounts: accounts, Address: ptr(collection(0))},
		{Tokens: tokens}, {TransactionHashes: txs},
	}
}
