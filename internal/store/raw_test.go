package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// rawOf returns a document as it is stored and as v_tokens shows it.
func rawOf(t *testing.T, db *sql.DB, name string) (stored, shown string) {
	t.Helper()
	expect.NoError(t, db.QueryRowContext(t.Context(), "SELECT t.raw, v.raw FROM tokens t JOIN v_tokens v ON v.name = t.name WHERE t.name = '"+name+"'").Scan(&stored, &shown))
	return stored, shown
}

// withTexts returns a document with the texts of its columns.
func withTexts(id uint64, name, raw string, fetchedAt uint64) nft.TokenMetadata {
	return nft.TokenMetadata{
		TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)}, URI: "u", Raw: raw, FetchedAt: fetchedAt,
		Metadata: nft.Metadata{Name: &name, Description: ptr("One, two; \u00e9"), Image: ptr(`a"b`), ExternalURL: ptr("https://x.example/1")},
	}
}

// TestRaw_Cut stores documents whose texts the columns repeat, and reads them from the API
// and the view.
func TestRaw_Cut(t *testing.T) {
	cases := []struct{ name, raw, want string }{
		{"first", "{\"name\": \"first\",\n\"description\":\"One, two; \u00e9\",\"external_url\":\"https://x.example/1\"}", "\\{\"name\": \\1,\n\"description\":\\2,\"external_url\":\\4}"},
		{"twice", `{"title":"twice","name":"twice"}`, `\{"title":\1,"name":"twice"}`},
		{"escaped", `{"name":"e\u0073caped","image":"a\"b"}`, `{"name":"e\u0073caped","image":"a\"b"}`},
		{"marked", `{"name":"marked","n":"\\1"}`, `{"name":"marked","n":"\\1"}`},
		{"long", `{"name":"long","n":"` + strings.Repeat("n", 8<<10) + `"}`, `{"name":"long","n":"` + strings.Repeat("n", 8<<10) + `"}`},
	}
	onStores(t, func(t *testing.T, s *write.DB, dsn string) {
		db := raw(t, dsn)
		for i, test := range cases {
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{withTexts(uint64(i), test.name, test.raw, 5)}))
			stored, shown := rawOf(t, db, test.name)
			expect.Equal(t, test.name+": stored", test.want, stored)
			expect.Equal(t, test.name+": view", test.raw, shown)
			expect.Equal(t, test.name+": API", test.raw, metadataOf(t, s, collection(0), uint64(i)).Raw)
		}
		every := `{"name":"every","description":"D","image":"I","external_url":"E","image_data":"S","background_color":"B","youtube_url":"Y","animation_url":"A"}`
		m := withTexts(8, "every", every, 5)
		m.Description, m.Image, m.ExternalURL, m.ImageData, m.BackgroundColor, m.YoutubeURL, m.AnimationURL = ptr("D"), ptr("I"), ptr("E"), ptr("S"), ptr("B"), ptr("Y"), ptr("A")
		for range 2 {
			// The second time the document is the same, so it keeps its time.
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
			stored, shown := rawOf(t, db, "every")
			expect.Equal(t, "every column: stored", `\{"name":\1,"description":\2,"image":\3,"external_url":\4,"image_data":\5,"background_color":\6,"youtube_url":\7,"animation_url":\8}`, stored)
			expect.Equal(t, "every column: view", every, shown)
			got := metadataOf(t, s, collection(0), 8)
			expect.Equal(t, "every column: API", every, got.Raw)
			expect.Equal(t, "every column: updated at", uint64(5), got.UpdatedAt)
			m.FetchedAt++
		}
		// Both are stored as \{"name":\1}.
		for i, name := range []string{"one", "two"} {
			at := uint64(6 + i)
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{withTexts(9, name, `{"name":"`+name+`"}`, at)}))
			expect.Equal(t, name, at, metadataOf(t, s, collection(0), 9).UpdatedAt)
		}
		wantClean(t, "documents", s)
	})
}

// TestMigrate_Raw reads a document of an earlier version, and stores it again.
func TestMigrate_Raw(t *testing.T) {
	onEmpty(t, func(t *testing.T, dsn string) {
		s, db, folder := open(t, dsn, write.Options{}), raw(t, dsn), "sqlite"
		if isPostgres(dsn) {
			folder = "postgres"
		}
		whole := `{"name":"old","image":"https://x.example/1"}`
		expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{withTexts(1, "old", whole, 5)}))
		expect.NoError(t, s.Close())
		views, err := os.ReadFile("migrations/" + folder + "/00010_views.sql")
		expect.NoError(t, err)
		_, view, _ := strings.Cut(string(views), "CREATE VIEW v_tokens")
		revert(t, dsn, 12)
		execute(t, dsn, fmt.Sprintf("UPDATE tokens SET text_bytes = text_bytes - octet_length(raw) + %d, raw = '%s'", len(whole), whole),
			"DROP VIEW v_tokens", "CREATE VIEW v_tokens"+view, "DELETE FROM schema_version WHERE version_id >= 12")
		s = open(t, dsn, write.Options{})
		wantClean(t, "the migration", s)
		cut := `\{"name":\1,"image":\4}`
		for _, want := range []string{whole, cut, cut} {
			stored, shown := rawOf(t, db, "old")
			expect.Equal(t, "stored", want, stored)
			expect.Equal(t, "view", whole, shown)
			m := metadataOf(t, s, collection(0), 1)
			expect.Equal(t, "API", whole, m.Raw)
			expect.Equal(t, "updated at", uint64(5), m.UpdatedAt)
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{withTexts(1, "old", whole, 6)}))
		}
		wantClean(t, "the next fetch", s)
	})
}
