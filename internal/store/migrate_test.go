package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/nft"
	"mintburn/internal/store"

	"github.com/pressly/goose/v3"
)

// oldSchema returns an empty database of an earlier version of the schema.
func oldSchema(t *testing.T, dsn string, version int64) *sql.DB {
	t.Helper()
	db, dialect, dir := raw(t, dsn), goose.DialectSQLite3, "migrations/sqlite"
	if isPostgres(dsn) {
		dialect, dir = goose.DialectPostgres, "migrations/postgres"
	}
	provider, err := goose.NewProvider(dialect, db, os.DirFS(dir), goose.WithTableName("schema_version"), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = provider.UpTo(t.Context(), version)
	}
	expect.NoError(t, err)
	return db
}

// TestMigrate_Names: a load that an earlier version broke off is finished, though
// the indexed columns have other names since.
func TestMigrate_Names(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		db := oldSchema(t, dsn, 3)
		want := len(indexes(t, dsn))
		for _, statement := range []string{
			"INSERT INTO settings (id, value) VALUES ('postp' || 'oned', '" + strings.ReplaceAll(
				`["CREATE INDEX mints_tx ON mints (tx_@)","CREATE INDEX burns_account ON burns (account_@)","CREATE INDEX blocks_hash ON blocks (hash_@)"]`, "@", "head") + "')",
			"DROP INDEX mints_tx", "DROP INDEX burns_account", "DROP INDEX blocks_hash",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, dsn, store.Options{})
		if !loading(t, s) {
			t.Error("the load is forgotten")
		}
		finishLoad(t, s)
		if got := indexes(t, dsn); len(got) != want || strings.Contains(strings.Join(got, " "), "_head") || loading(t, s) {
			t.Errorf("%d indexes, want %d: %v", len(got), want, got)
		}
	})
}

// TestMigrate_TextsLast: what earlier versions stored is read as it was.
func TestMigrate_TextsLast(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		db := oldSchema(t, dsn, 2)
		contract := "decode('" + strings.Repeat("ab", 20) + "', 'hex')"
		token := func(id uint64) string { return fmt.Sprintf("decode('%x', 'hex')", evm.NewUint256(id).Bytes()) }
		if !isPostgres(dsn) {
			contract = "x'" + strings.Repeat("ab", 20) + "'"
			token = func(id uint64) string { return fmt.Sprintf("x'%x'", evm.NewUint256(id).Bytes()) }
		}
		long := strings.Repeat("é", 10_000)
		for _, statement := range []string{
			"INSERT INTO contracts (id, address, shapes, tokens) VALUES (4, " + contract + ", 0, 2)",
			"INSERT INTO tokens (id, contract_id, token_id, uri, raw, fetched_at, updated_at, name, attributes) VALUES (9, 4, " + token(1) + ", 'u/{id}', '{}', 6, 5, 'n', '[]\n')",
			"INSERT INTO tokens (id, contract_id, token_id, uri, raw, fetched_at, updated_at, description, image, external_url, image_data, background_color, youtube_url, animation_url, attributes) " +
				"VALUES (11, 4, " + token(2) + ", 'u', '" + long + "', 8, 7, 'd', 'i', 'e', 'id', 'b', 'y', 'a', '[{\"trait_type\":\"t\",\"value\":\"\\u2028\",\"max_value\":1.5,\"trait_count\":3,\"order\":2}]\n')",
			"INSERT INTO resolutions (id, contract_id, token_id, shape, state, turn, attempts, uri, error, tried_at, seen_block) VALUES (1, 4, " + token(3) + ", 2, 'done', 99, 2, '" + long + "', 'no', 50, 40)",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%.200s: %v", statement, err)
			}
		}
		key := func(id uint64) nft.TokenKey {
			k := nft.TokenKey{TokenID: evm.NewUint256(id)}
			for i := range k.Contract {
				k.Contract[i] = 0xab
			}
			return k
		}
		want := map[uint64]*nft.TokenMetadata{
			1: {TokenKey: key(1), Type: nft.ERC1155, State: nft.Resolved, URI: "u/{id}", Raw: "{}", FetchedAt: 6, UpdatedAt: 5, Metadata: nft.Metadata{Name: ptr("n")}},
			2: {TokenKey: key(2), Type: nft.ERC721, State: nft.Resolved, URI: "u", Raw: long, FetchedAt: 8, UpdatedAt: 7, Metadata: nft.Metadata{
				Description: ptr("d"), Image: ptr("i"), ExternalURL: ptr("e"), ImageData: ptr("id"), BackgroundColor: ptr("b"), YoutubeURL: ptr("y"), AnimationURL: ptr("a"),
				Attributes: []nft.Attribute{{TraitType: "t", Value: "\u2028", MaxValue: ptr(1.5), TraitCount: ptr(evm.Long(3)), Order: 2}},
			}},
			3: {TokenKey: key(3), Type: nft.ERC1155, State: nft.Failed, URI: long, FetchedAt: 50, Error: "no", Attempts: 2, NextTry: 99},
		}
		s := open(t, dsn, store.Options{})
		for id, m := range want {
			expect.Equal(t, fmt.Sprintf("token %d", id), m, metadataOf(t, s, m.Contract, id), sameMetadata)
		}
		var id, short int64
		row := db.QueryRowContext(t.Context(), "SELECT id, text_bytes - octet_length(raw) - octet_length(attributes) FROM tokens WHERE description = 'd'")
		if err := row.Scan(&id, &short); err != nil || id != 11 || short != 9 {
			t.Errorf("row %d has %d bytes of short texts, error %v, want row 11 with 9", id, short, err)
		}
	})
}
